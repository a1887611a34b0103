import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewPartitionReassignment;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.ScramCredentialInfo;
import org.apache.kafka.clients.admin.ScramMechanism;
import org.apache.kafka.clients.admin.UserScramCredentialUpsertion;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.internals.BuiltInPartitioner;
import org.apache.kafka.common.ElectionType;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Kafka's own Java client, told what to do by lines: words between tabs. Each answer is some lines and then a dot. */
public class KafkaPeer {
  static final Base64.Encoder BASE64 = Base64.getEncoder();
  static Properties properties = new Properties();
  static Admin admin;

  public static void main(String[] args) throws Exception {
    properties.put("bootstrap.servers", args[0]);
    properties.put("enable.auto.commit", "false");
    properties.put("allow.auto.create.topics", "false");
    admin = Admin.create(properties);
    var lines = new BufferedReader(new InputStreamReader(System.in));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      try {
        System.out.print(answer(line.split("\t", -1)));
      } catch (Exception error) {
        System.out.println("! " + String.valueOf(error).replace('\n', ' '));
      }
      System.out.println(".");
      System.out.flush();
    }
  }

  static String answer(String[] words) throws Exception {
    switch (words[0]) {
      case "create": {
        var settings = Arrays.stream(words[4].split(",")).filter(one -> !one.isEmpty()).map(one -> one.split("="))
            .collect(Collectors.toMap(pair -> pair[0], pair -> pair[1]));
        var topic = new NewTopic(words[1], Integer.parseInt(words[2]), Short.parseShort(words[3])).configs(settings);
        admin.createTopics(List.of(topic)).all().get();
        return "";
      }
      case "allow": {
        var entry = new AccessControlEntry("User:" + words[1], "*", AclOperation.fromString(words[3]), AclPermissionType.ALLOW);
        var topic = new ResourcePattern(ResourceType.TOPIC, words[2], PatternType.LITERAL);
        admin.createAcls(List.of(new AclBinding(topic, entry))).all().get();
        return "";
      }
      case "user": {
        var password = Base64.getDecoder().decode(words[2]);
        for (var mechanism : List.of(ScramMechanism.SCRAM_SHA_256, ScramMechanism.SCRAM_SHA_512)) {
          var user = new UserScramCredentialUpsertion(words[1], new ScramCredentialInfo(mechanism, 4096), password);
          admin.alterUserScramCredentials(List.of(user)).all().get();
        }
        return "";
      }
      case "move": {
        var brokers = Arrays.stream(words[3].split(",")).map(Integer::parseInt).toList();
        var partition = new TopicPartition(words[1], Integer.parseInt(words[2]));
        admin.alterPartitionReassignments(Map.of(partition, Optional.of(new NewPartitionReassignment(brokers)))).all().get();
        return "";
      }
      case "elect": {
        // The answer for a partition can be that its leader is the preferred one already.
        var partition = new TopicPartition(words[1], Integer.parseInt(words[2]));
        admin.electLeaders(ElectionType.PREFERRED, Set.of(partition)).partitions().get();
        return "";
      }
      case "leader": {
        var found = admin.describeTopics(List.of(words[1])).allTopicNames().get().get(words[1]);
        var partition = found.partitions().get(Integer.parseInt(words[2]));
        return (partition.leader() == null ? -1 : partition.leader().id()) + "\t" + partition.isr().size() + "\n";
      }
      case "partition":
        return BuiltInPartitioner.partitionForKey(Base64.getDecoder().decode(words[1]), Integer.parseInt(words[2])) + "\n";
      case "read":
        return read(words[1], Integer.parseInt(words[2]));
      default:
        throw new IllegalArgumentException(words[0]);
    }
  }

  /** Reads a topic from its start until it has some records, each with a line, or until nothing came for 30 s. */
  static String read(String topic, int count) {
    var lines = new StringBuilder();
    try (var consumer = new KafkaConsumer<>(properties, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
      var partitions = consumer.partitionsFor(topic).stream().map(one -> new TopicPartition(topic, one.partition())).toList();
      consumer.assign(partitions);
      consumer.seekToBeginning(partitions);
      for (int got = 0; got < count;) {
        var records = consumer.poll(Duration.ofSeconds(30));
        if (records.isEmpty()) break;
        for (var record : records) {
          lines.append(lineOf(record));
          got += 1;
        }
      }
    }
    return lines.toString();
  }

  static String lineOf(ConsumerRecord<byte[], byte[]> record) {
    var headers = Arrays.stream(record.headers().toArray())
        .map(one -> one.key() + "=" + BASE64.encodeToString(one.value())).collect(Collectors.joining(","));
    return record.partition() + "\t" + record.offset() + "\t" + record.timestamp() + "\t" + text(record.key()) + "\t" + text(record.value()) + "\t"
        + headers + "\n";
  }

  static String text(byte[] bytes) {
    return bytes == null ? "-" : BASE64.encodeToString(bytes);
  }
}
