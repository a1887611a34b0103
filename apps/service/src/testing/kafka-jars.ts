import type { Jar } from "../../../../tools/maven-jars.ts";

/** Kafka 4.1 with its command-line programs: what the POM of `org.apache.kafka:kafka-tools` needs, without its web server. */
export const KAFKA_JARS: readonly Jar[] = [
  {
    name: "com.dynatrace.hash4j:hash4j:0.22.0",
    sha256: "23028a3fd006e530bf495f551083208187cafd8f80624d048eba56442f16a50e",
  },
  {
    name: "com.fasterxml.jackson.core:jackson-annotations:2.19.0",
    sha256: "ead60e9cac0e42b57092b9e2d087ff43536e9477d4486ba393037a8cc156cda7",
  },
  {
    name: "com.fasterxml.jackson.core:jackson-core:2.19.0",
    sha256: "da8e859bac94874528116a25f20c68560e4287acbf27628711b8a4f96b028430",
  },
  {
    name: "com.fasterxml.jackson.core:jackson-databind:2.19.0",
    sha256: "ceda311f476c3b18e1d2b240c94e2dcb9c8d44e70f8afa9facab88bac4ddc03a",
  },
  {
    name: "com.fasterxml.jackson.dataformat:jackson-dataformat-csv:2.19.0",
    sha256: "bec1150426b0616bb488149b952b45a0dcb16d9416b017c38f6455ad9389bc68",
  },
  {
    name: "com.fasterxml.jackson.dataformat:jackson-dataformat-yaml:2.19.0",
    sha256: "46e54dcbd39d4d12cda18ec9276e7b888e08fc765ea0c77e71662306f0d4abc4",
  },
  {
    name: "com.fasterxml.jackson.datatype:jackson-datatype-jdk8:2.19.0",
    sha256: "04f1a3f9da8155995dd00098d6847cdb9b7af67f4a3028c94031eff017c8e3e5",
  },
  {
    name: "com.github.ben-manes.caffeine:caffeine:3.2.0",
    sha256: "ec411dfdf0c03f25218648ce89861630b71680e5858a9a7278ebac8e55cab3d7",
  },
  {
    name: "com.github.luben:zstd-jni:1.5.6-10",
    sha256: "b6c3237e24b8252a5a9c3a0e1ae30ef8f323412e74bd358548b7a9e527d676df",
  },
  { name: "com.google.re2j:re2j:1.8", sha256: "7b52c72156dd7f98b3237a5b35c1d34fba381b21048c89208913ad80a45dfbd7" },
  {
    name: "com.typesafe.scala-logging:scala-logging_2.13:3.9.5",
    sha256: "87a3017d3f43e6ace7566fe4c3d615134c6914ff871c8d64bb32ca1d996d0545",
  },
  {
    name: "com.yammer.metrics:metrics-core:2.2.0",
    sha256: "6b7a14a6f34c10f8683f7b5e2f39df0f07b58c7dff0e468ebbc713905c46979c",
  },
  {
    name: "commons-validator:commons-validator:1.9.0",
    sha256: "c3c14748e2d78db58df88808740711bd643b32c45ffa7b8a739f00fb467cd7d7",
  },
  {
    name: "net.sf.jopt-simple:jopt-simple:5.0.4",
    sha256: "df26cc58f235f477db07f753ba5a3ab243ebe5789d9f89ecf68dd62ea9a66c28",
  },
  {
    name: "net.sourceforge.argparse4j:argparse4j:0.7.0",
    sha256: "65ceb669d88f63306c680f8088bbf765bbca72d288a61a03703000076c3d3f56",
  },
  {
    name: "org.apache.kafka:connect-api:4.1.0",
    sha256: "fbb34e5891dcaa1636047d6b7d617e4683655863011521bc380c6a0694b097ea",
  },
  {
    name: "org.apache.kafka:connect-json:4.1.0",
    sha256: "2e0beef68d19f218ef439e1178d35a5cec109e09d79e026ff6d4e5d82abd5db6",
  },
  {
    name: "org.apache.kafka:kafka-clients:4.1.0",
    sha256: "eb74709dc3be35e06208827860c87a94872e8a4b00f466880670785c85a20627",
  },
  {
    name: "org.apache.kafka:kafka-coordinator-common:4.1.0",
    sha256: "ceb4fac769379576d0901ab7d016bd886d91b0285a5a851183a49e0c735c182e",
  },
  {
    name: "org.apache.kafka:kafka-group-coordinator-api:4.1.0",
    sha256: "526002cced845e759f0d31ae19f27e2b962caf832d2214eba97e1629b7454c26",
  },
  {
    name: "org.apache.kafka:kafka-group-coordinator:4.1.0",
    sha256: "b2528196721c9e3c675c0e214d68a1a6e6c5b489f491b3a52ced850b066dfcae",
  },
  {
    name: "org.apache.kafka:kafka-metadata:4.1.0",
    sha256: "d11d14a04391776f0d52dcebcdc4cc7438495984cd5213b62c0e70dc8b81e2fc",
  },
  {
    name: "org.apache.kafka:kafka-raft:4.1.0",
    sha256: "0d56f0f0735be4fd2c25da02034ae2d7dd0764298cef7d197e99cb8650e1bb1a",
  },
  {
    name: "org.apache.kafka:kafka-server-common:4.1.0",
    sha256: "73b8b467597429cc0f3c959b0bb1181556071aaab13a6240b9877a37a8c312d0",
  },
  {
    name: "org.apache.kafka:kafka-server:4.1.0",
    sha256: "fb7765a18b46b6635eae385fb1d890955aa67960aa408d5dfe48c17f2d400b9a",
  },
  {
    name: "org.apache.kafka:kafka-share-coordinator:4.1.0",
    sha256: "4c6532e878cc0fccad8b1c60b99ecf69d8b94b55beeee57f5546ad4dba5965e5",
  },
  {
    name: "org.apache.kafka:kafka-storage-api:4.1.0",
    sha256: "d8bb549e8c2bbb9bef4078983e9e4bb63f71e305fd07703cd2798cb7064903df",
  },
  {
    name: "org.apache.kafka:kafka-storage:4.1.0",
    sha256: "d4b5cebcd9aeeb2db68b6ff3922bf08e776bb7d4c90f1045768267192625c810",
  },
  {
    name: "org.apache.kafka:kafka-tools-api:4.1.0",
    sha256: "2127f95153a53b8b4fc46e90e08a0b6c0d40f9faee386fff17ab0c3882e881ba",
  },
  {
    name: "org.apache.kafka:kafka-tools:4.1.0",
    sha256: "1c2836cee57a947d2db461410ac5008ca80facbd19b7ed9d284ca883782ea741",
  },
  {
    name: "org.apache.kafka:kafka-transaction-coordinator:4.1.0",
    sha256: "b55df4f4500ddab992648326d8d0854a386215646f7ca6982dcd939ebb1d2630",
  },
  {
    name: "org.apache.kafka:kafka_2.13:4.1.0",
    sha256: "0de0471a4c7a9e734c166822a26a4bb064eb81cb2c7a8b1345912cad78997a7b",
  },
  {
    name: "org.apache.logging.log4j:log4j-api:2.24.3",
    sha256: "5b4a0a0cd0e751ded431c162442bdbdd53328d1f8bb2bae5fc1bbeee0f66d80f",
  },
  {
    name: "org.apache.logging.log4j:log4j-core:2.24.3",
    sha256: "7eb4084596ae25bd3c61698e48e8d0ab65a9260758884ed5cbb9c6e55c44a56a",
  },
  {
    name: "org.bitbucket.b_c:jose4j:0.9.6",
    sha256: "7314af50cde9c99e8eaf43eee617a23edcc6bb43036221064355094999d837ef",
  },
  {
    name: "org.hdrhistogram:HdrHistogram:2.2.2",
    sha256: "22d1d4316c4ec13a68b559e98c8256d69071593731da96136640f864fa14fad8",
  },
  { name: "org.lz4:lz4-java:1.8.0", sha256: "d74a3334fb35195009b338a951f918203d6bbca3d1d359033dc33edd1cadc9ef" },
  {
    name: "org.pcollections:pcollections:4.0.2",
    sha256: "2bbeef5797a241300c4f7513cd546239629ed7deda4fc0c31df90bb95f5f13ef",
  },
  {
    name: "org.scala-lang:scala-library:2.13.16",
    sha256: "1ebb2b6f9e4eb4022497c19b1e1e825019c08514f962aaac197145f88ed730f1",
  },
  {
    name: "org.scala-lang:scala-reflect:2.13.16",
    sha256: "fb49ccd9cac7464486ab993cda20a3c1569d8ef26f052e897577ad2a4970fb1d",
  },
  { name: "org.slf4j:slf4j-api:1.7.36", sha256: "d3ef575e3e4979678dc01bf1dcce51021493b4d11fb7f1be8ad982877c16a1c0" },
  {
    name: "org.xerial.snappy:snappy-java:1.1.10.7",
    sha256: "4c766cb3f855415ee734b2392949a0b6f12a60879334a74518deaf6270d32e36",
  },
  { name: "org.yaml:snakeyaml:2.4", sha256: "ef779af5d29a9dde8cc70ce0341f5c6f7735e23edff9685ceaa9d35359b7bb7f" },
];
