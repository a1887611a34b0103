final class Driver {
    public static void main(String[] args) throws Exception {
        byte[] body = System.in.readAllBytes();
        System.exit(Webhooks.verify(args[0], args[1], args[2], args[3], body, Long.parseLong(args[4])) ? 0 : 9);
    }
}
