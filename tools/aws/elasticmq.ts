import { mavenJars } from "../maven-jars.ts";
import type { Jar } from "../maven-jars.ts";

/** Returns the folder of the jars of ElasticMQ, an implementation of SQS. */
export async function elasticmqJars(): Promise<string> {
  return await mavenJars("elasticmq", JARS);
}

/** The packages that the POM of `org.elasticmq:elasticmq-server_2.13` needs. */
const JARS: readonly Jar[] = [
  {
    name: "ch.qos.logback:logback-classic:1.3.16",
    sha256: "3f63cbc593b91670f75890ab256aa47c123a9b125185939a272c720ca1417c2c",
  },
  {
    name: "ch.qos.logback:logback-core:1.3.16",
    sha256: "f153c7d582ad19219c906dd728df335232790663f5b3d2db187ac83d9e5a3b8b",
  },
  {
    name: "com.github.pureconfig:pureconfig-core_2.13:0.17.8",
    sha256: "f92890ed3e72ecd7dfa12f335522e066da2b4d283fcc41681982a9e15139e2cc",
  },
  {
    name: "com.h2database:h2:2.2.224",
    sha256: "b9d8f19358ada82a4f6eb5b174c6cfe320a375b5a9cb5a4fe456d623e6e55497",
  },
  {
    name: "com.typesafe:config:1.4.6",
    sha256: "dd6b9fb5da5bc49d31b581703f57050e1e7d403814f62f3832181a7226b36256",
  },
  {
    name: "com.typesafe.scala-logging:scala-logging_2.13:3.9.6",
    sha256: "0ad0c3f4d89d538b3b6c300158555e266aa69cf1b5f6522aba8b5bad238eb994",
  },
  {
    name: "com.typesafe:ssl-config-core_2.13:0.7.1",
    sha256: "7de1386398232ce99d17f51e8231f8dc191632d307d2c5f58b8dae04d9cc4d35",
  },
  {
    name: "commons-logging:commons-logging:1.3.4",
    sha256: "bc2dfe32f1ef06509e6a065144c1adf7b420eabf11a87f30bd127f8faa332016",
  },
  {
    name: "io.spray:spray-json_2.13:1.3.6",
    sha256: "08b3b4b659e9be1828156ca3ac21f9c63d3aec344af04ee10ef1bda4aed171de",
  },
  {
    name: "jakarta.transaction:jakarta.transaction-api:1.3.3",
    sha256: "0b02a194dd04ee2e192dc9da9579e10955dd6e8ac707adfc91d92f119b0e67ab",
  },
  {
    name: "org.apache.commons:commons-dbcp2:2.13.0",
    sha256: "db6f0ed71cd16c8830902db9f56095fa2ee16acc2674f84b7cb5bdc98df19392",
  },
  {
    name: "org.apache.commons:commons-pool2:2.12.0",
    sha256: "6d3bd18df8410f3e31b031aca582cc109342358a62a2759ebd0c4cdf30d06f8b",
  },
  {
    name: "org.apache.pekko:pekko-actor_2.13:1.5.0",
    sha256: "b1177b902638bff7cb2a6cc9dc7f8870a1a0885b9d984313857b3520e7fb71fb",
  },
  {
    name: "org.apache.pekko:pekko-http-core_2.13:1.3.0",
    sha256: "8be1cc714d15ed6180c55c2ec86d654827613b04f3c9e89ddcdc603bb4fd5bba",
  },
  {
    name: "org.apache.pekko:pekko-http-spray-json_2.13:1.3.0",
    sha256: "e818880e8b362acda135f7305f4d59aa7f08e8e9432ce461e6f25a92e27c947e",
  },
  {
    name: "org.apache.pekko:pekko-http_2.13:1.3.0",
    sha256: "02fcdc4f5bfb1cfb42e0d157ebc2037c93a2ab23f2270e3b3539c04600fbe53c",
  },
  {
    name: "org.apache.pekko:pekko-parsing_2.13:1.3.0",
    sha256: "967c1faa2d9a3a3d8f11cb79d3b430578e6b63d1e2e5bd4ef387c41d848dc916",
  },
  {
    name: "org.apache.pekko:pekko-protobuf-v3_2.13:1.5.0",
    sha256: "cf20a8de356a8d0ee4f98c694fb54fa188a72fdb6efe26c9d234d84fa2c54afc",
  },
  {
    name: "org.apache.pekko:pekko-slf4j_2.13:1.5.0",
    sha256: "ab1a6d47a6ff70d26ce4ca5e0c7bc83ade84e581775d4a403bd5aa4f58e97097",
  },
  {
    name: "org.apache.pekko:pekko-stream_2.13:1.5.0",
    sha256: "a24ccd32bd8b5aaf13e4aae9d0ce8042361d55924337ff24a3d8c8b81e5f0d49",
  },
  {
    name: "org.elasticmq:elasticmq-core_2.13:1.7.1",
    sha256: "81be6d5a37a701f5431875956d59027c912a1b16ab851d259ce53eadfe966d15",
  },
  {
    name: "org.elasticmq:elasticmq-persistence-core_2.13:1.7.1",
    sha256: "c447cf25cdf3cf613c576aacc7836526f3832c406ee967c5fd0af63b330f09da",
  },
  {
    name: "org.elasticmq:elasticmq-persistence-file_2.13:1.7.1",
    sha256: "ade2ed9d840dc06834c67a177ae410e2d4357c58ba1c5e815fe2d182eb183432",
  },
  {
    name: "org.elasticmq:elasticmq-persistence-sql_2.13:1.7.1",
    sha256: "26a566a90ea9df168f687875fbd11d836fbe889d56cc48bb1f57b57f41cb8a60",
  },
  {
    name: "org.elasticmq:elasticmq-rest-sqs_2.13:1.7.1",
    sha256: "9777d8d9ef048f96cfa758367728169cf81967c72f5b4084c984f29f9421b8db",
  },
  {
    name: "org.elasticmq:elasticmq-server_2.13:1.7.1",
    sha256: "351c9b339aed90809b21dfa0cf4103f57b38544c97e24295216bf4b04e471489",
  },
  {
    name: "org.parboiled:parboiled_2.13:2.5.1",
    sha256: "2a3dba2bcc2770e787eb2f156f2157dc051c1821d3454343956c0d1a79f8f083",
  },
  {
    name: "org.reactivestreams:reactive-streams:1.0.4",
    sha256: "f75ca597789b3dac58f61857b9ac2e1034a68fa672db35055a8fb4509e325f28",
  },
  {
    name: "org.scala-lang.modules:scala-async_2.13:1.0.1",
    sha256: "6f9c0cd6c35413c5178931597673adcaf252644e98909d610fa3fb7f713a8c18",
  },
  {
    name: "org.scala-lang.modules:scala-collection-compat_2.13:2.12.0",
    sha256: "befff482233cd7f9a7ca1e1f5a36ede421c018e6ce82358978c475d45532755f",
  },
  {
    name: "org.scala-lang.modules:scala-parser-combinators_2.13:2.4.0",
    sha256: "e36dccdc21fd4bc770907a9e126d7e3901e71a191eb9ea8e93a0227774e0945d",
  },
  {
    name: "org.scala-lang.modules:scala-xml_2.13:2.4.0",
    sha256: "b549a1bf335bc4528cf26f005894c7c37220ac4e8450847973d8f4001b8f59ea",
  },
  {
    name: "org.scala-lang:scala-library:2.13.18",
    sha256: "4e85d96ff7bc7dc627985523c3541b9917aaa08e956391380c42db21a2c4e5a0",
  },
  {
    name: "org.scala-lang:scala-reflect:2.13.16",
    sha256: "fb49ccd9cac7464486ab993cda20a3c1569d8ef26f052e897577ad2a4970fb1d",
  },
  {
    name: "org.scalikejdbc:scalikejdbc-core_2.13:4.3.5",
    sha256: "a04c53b56554e7d7a9830c4d7aff3bb6288f997c6fc16e15ff44839334884b1e",
  },
  {
    name: "org.scalikejdbc:scalikejdbc-interpolation-macro_2.13:4.3.5",
    sha256: "adfa7338ec4ee9722fcf6c9610c542e6279d5d7f0abb82c967f6edd200a6fef1",
  },
  {
    name: "org.scalikejdbc:scalikejdbc-interpolation_2.13:4.3.5",
    sha256: "5f47011109cdcdaf54d451d44e3521c1fdeef39e09939addab972e85ab0e20a9",
  },
  {
    name: "org.scalikejdbc:scalikejdbc_2.13:4.3.5",
    sha256: "35283b87188da6da7dbde44e914a12034c8c12213a340fd8c723a33f22e2c8a2",
  },
  {
    name: "org.slf4j:slf4j-api:2.0.7",
    sha256: "5d6298b93a1905c32cda6478808ac14c2d4a47e91535e53c41f7feeb85d946f4",
  },
];
