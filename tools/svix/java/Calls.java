import com.fasterxml.jackson.databind.ObjectMapper;
import com.svix.Svix;
import com.svix.SvixOptions;
import com.svix.Utils;
import com.svix.Webhook;
import com.svix.api.*;
import com.svix.exceptions.ApiException;
import com.svix.exceptions.WebhookVerificationException;
import com.svix.models.*;
import java.time.OffsetDateTime;
import java.util.*;
import java.util.concurrent.Callable;

/** Makes every call of the library of Svix that Junction serves, and prints what it got as JSON. Only the address and the token are Junction's. */
final class Calls {
    private static final ObjectMapper JSON = Utils.getObjectMapper();
    private final Map<String, Object> seen = new TreeMap<>();
    private final String address;
    private final Svix svix;
    private final String run = "java-" + ProcessHandle.current().pid();
    private final String name = "java.p" + ProcessHandle.current().pid() + ".paid";

    private Calls(String address, String token) {
        this.address = address;
        this.svix = client(token);
    }

    public static void main(String[] given) throws Exception {
        try {
            if (given[0].equals("verify")) verify(given[1], given[2], given[3]);
            else new Calls(given[0], given[1]).all(given[2], given[3]);
            // The library keeps threads that would end later.
            System.exit(0);
        } catch (WebhookVerificationException refused) {
            System.exit(1);
        } catch (ApiException refused) {
            System.err.println(refused.getCode() + " " + refused.getResponseBody());
            refused.printStackTrace();
            System.exit(1);
        }
    }

    private Svix client(String token) {
        SvixOptions options = new SvixOptions();
        options.setServerUrl(address);
        return new Svix(token, options);
    }

    private void all(String limited, String receiver) throws Exception {
        eventTypes();
        String app = applications();
        endpoints(app, receiver);
        messages(app);
        Svix portal = tasksAndPortal(app);
        refused("not_found", () -> svix.getApplication().get("nobody"));
        refused("conflict", () -> svix.getApplication().create(new ApplicationIn().name("x").uid(run)));
        refused("invalid", () -> svix.getEndpoint().create(app, new EndpointIn().url(java.net.URI.create("nonsense"))));
        refused("unauthorized", () -> portal.getEndpoint().list(app));
        refused("not_supported", () -> svix.getBackgroundTask().list());
        refused("limited", () -> client(limited).getApplication().list());
        svix.getEndpoint().delete(app, "main");
        svix.getEventType().delete(name);
        svix.getApplication().delete(app);
        System.out.println(JSON.writeValueAsString(seen));
    }

    private void eventTypes() throws Exception {
        EventType types = svix.getEventType();
        Map<String, Object> schemas = Map.of("1", Map.of("type", "object"));
        seen.put("type", types.create(new EventTypeIn().name(name).description("Paid").schemas(schemas)));
        seen.put("type.get", types.get(name));
        seen.put("type.update", types.update(name, new EventTypeUpdate().description("Is paid")));
        seen.put("type.patch", types.patch(name, new EventTypePatch().deprecated(true).groupName("billing")));
        EventTypeListOptions all = new EventTypeListOptions();
        all.setLimit(250L);
        seen.put("types", types.list(all));
    }

    private String applications() throws Exception {
        Application apps = svix.getApplication();
        ApplicationIn in = new ApplicationIn().name("Acme").uid(run).metadata(Map.of("plan", "pro"));
        ApplicationOut app = apps.create(in);
        seen.put("app", app);
        seen.put("app.get", apps.get(run));
        seen.put("app.get_or_create", apps.getOrCreate(in));
        seen.put("app.update", apps.update(app.getId(), new ApplicationIn().name("Acme, Inc.").uid(run)));
        seen.put("app.patch", apps.patch(app.getId(), new ApplicationPatch().metadata(Map.of("plan", "max"))));
        ApplicationOut other = apps.create(new ApplicationIn().name("Other"));
        ApplicationListOptions next = new ApplicationListOptions();
        next.setLimit(1L);
        next.setIterator(app.getId());
        ListResponseApplicationOut page = apps.list(next);
        ApplicationListOptions back = new ApplicationListOptions();
        back.setIterator(page.getPrevIterator());
        seen.put("other", other);
        seen.put("apps.next", page);
        seen.put("apps.back", apps.list(back));
        apps.delete(other.getId());
        return app.getId();
    }

    private void endpoints(String app, String receiver) throws Exception {
        Endpoint endpoints = svix.getEndpoint();
        java.net.URI url = java.net.URI.create(receiver);
        EndpointIn in = new EndpointIn().url(url).uid("main").filterTypes(Set.of(name)).metadata(Map.of("a", "b"));
        seen.put("endpoint", endpoints.create(app, in));
        seen.put("endpoint.get", endpoints.get(app, "main"));
        EndpointUpdate update = new EndpointUpdate().url(url).uid("main").description("Hook");
        seen.put("endpoint.update", endpoints.update(app, "main", update));
        seen.put("endpoint.patch", endpoints.patch(app, "main", new EndpointPatch().description("The hook")));
        EndpointListOptions one = new EndpointListOptions();
        one.setLimit(1L);
        seen.put("endpoints", endpoints.list(app, one));
        seen.put("secret", endpoints.getSecret(app, "main"));
        endpoints.updateHeaders(app, "main", new EndpointHeadersIn().headers(Map.of("X-A", "1", "X-B", "2")));
        EndpointHeadersPatchIn change = new EndpointHeadersPatchIn().headers(Map.of("X-C", "3"));
        endpoints.patchHeaders(app, "main", change.deleteHeaders(List.of("X-B")));
        seen.put("headers", endpoints.getHeaders(app, "main"));
    }

    private void messages(String app) throws Exception {
        MessageAttempt tries = svix.getMessageAttempt();
        String payload = "{\"n\":1,\"text\":\"<ü & 😀>\"}";
        MessageIn in = new MessageIn().eventType(name).eventId("inv-1").payload(payload);
        in.channels(Set.of("eu")).tags(Set.of("blue"));
        MessageCreateOptions options = new MessageCreateOptions();
        options.setIdempotencyKey(run);
        MessageOut message = svix.getMessage().create(app, in, options);
        seen.put("message", message);
        seen.put("message.again", svix.getMessage().create(app, in, options));
        seen.put("message.get", svix.getMessage().get(app, "inv-1"));
        MessageListOptions list = new MessageListOptions();
        list.setLimit(10L);
        list.setChannel("eu");
        seen.put("messages", svix.getMessage().list(app, list));
        ListResponseMessageAttemptOut attempts = tries.listByMsg(app, message.getId());
        while (attempts.getData().isEmpty() || attempts.getData().get(0).getStatus() != MessageStatus.SUCCESS) {
            Thread.sleep(100);
            attempts = tries.listByMsg(app, message.getId());
        }
        seen.put("attempts.msg", attempts);
        seen.put("attempt", tries.get(app, message.getId(), attempts.getData().get(0).getId()));
        MessageAttemptListByEndpointOptions five = new MessageAttemptListByEndpointOptions();
        five.setLimit(5L);
        seen.put("attempts.endpoint", tries.listByEndpoint(app, "main", five));
        seen.put("endpoint.messages", tries.listAttemptedMessages(app, "main"));
        seen.put("message.endpoints", tries.listAttemptedDestinations(app, message.getId()));
        // It cannot resend, log out and read statistics: the library gives these calls no body, which its own HTTP client refuses.
    }

    private Svix tasksAndPortal(String app) throws Exception {
        Endpoint endpoints = svix.getEndpoint();
        OffsetDateTime since = OffsetDateTime.now().minusHours(1);
        RecoverOut task = endpoints.recover(app, "main", new RecoverIn().since(since));
        seen.put("recover", task);
        seen.put("task", svix.getBackgroundTask().get(task.getId()));
        seen.put("replay", endpoints.replayMissing(app, "main", new ReplayIn().since(since)));
        endpoints.rotateSecret(app, "main", new EndpointSecretRotateIn());
        seen.put("secret.rotated", endpoints.getSecret(app, "main"));
        AppPortalAccessOut access = svix.getAuthentication().appPortalAccess(app, new AppPortalAccessIn());
        Svix portal = client(access.getToken());
        seen.put("portal.endpoints", portal.getEndpoint().list(app));
        return client("nonsense");
    }

    private void refused(String what, Callable<Object> call) throws Exception {
        try {
            call.call();
        } catch (ApiException error) {
            Object body = JSON.readValue(error.getResponseBody(), Object.class);
            seen.put("error." + what, Map.of("status", error.getCode(), "body", body));
            return;
        }
        throw new IllegalStateException(what + " was not refused");
    }

    private static void verify(String secret, String body, String headers) throws Exception {
        Map<String, List<String>> given = new HashMap<>();
        Map<?, ?> named = JSON.readValue(headers, Map.class);
        named.forEach((key, value) -> given.put(String.valueOf(key), List.of(String.valueOf(value))));
        new Webhook(secret).verify(body, given);
    }
}
