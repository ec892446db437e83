package io.mongolock.faults.spring;

import java.util.Date;
import java.util.List;
import java.util.Map;

import org.bson.Document;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.FieldSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;

import io.mongolock.LockHandle;
import io.mongolock.LockOperations;
import io.mongolock.LockRequest;
import io.mongolock.faults.matrix.Level;
import io.mongolock.faults.matrix.RowFigures;
import io.mongolock.faults.matrix.ShowsRow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * What comes in by annotations, requests and properties comes back as it went, or is
 * refused with the value and the limit.
 */
@ExtendWith(OutputCaptureExtension.class)
class BadInputTests {

	/** Would do something if anybody took them for more than text. */
	static final List<String> hostile = List.of("$where", "$$ROOT", "$$NOW", "{$where: 'sleep(10000)'}",
			"T(java.lang.Runtime).getRuntime()", "#{T(java.lang.Runtime).getRuntime().exec('false')}", "${user.home}",
			"#root.target", "@mongoLockTemplate", "a.b", "$.a", "a\u0000b", "\uD83D\uDD12", "a\nb", " a ", "'a'",
			"a:b");

	static final List<Arguments> refused = List.of(Arguments.of(null, "null"), Arguments.of("", "blank: ''"),
			Arguments.of(" \t", "blank"),
			Arguments.of("k".repeat(10_240), "at most 1024 bytes of UTF-8; this one is 10245"),
			Arguments.of("a\uD83D", "half a surrogate pair"), Arguments.of(new int[] { 1 }, "one key"),
			Arguments.of(Map.of("$gt", ""), "one key"), Arguments.of(new Object(), "no toString() of its own"),
			Arguments.of(new Date(0), "time zone"));

	private static TestServer server;

	private static OtherClient other;

	private static ConfigurableApplicationContext context;

	@BeforeAll
	static void start() {
		server = TestServer.start();
		other = server.otherClient();
		context = server.run(GuardedApplication.class, "mongo-lock.locks.data.wait-timeout=0s");
	}

	@AfterAll
	static void stop() {
		context.close();
		other.close();
		server.close();
	}

	@ParameterizedTest
	@FieldSource("hostile")
	@ShowsRow(value = 40, level = Level.B)
	void anArgumentIsDataWhateverItSays(String value, RowFigures figures) {
		figures.server(server.label());
		String key = "data:" + value;
		assertThat(context.getBean(GuardedService.class).keyOf(value)).isEqualTo(key);
		assertThat(other.stored(key)).isNotNull();
		assertThat(other.isFree(key)).isTrue();
	}

	@ParameterizedTest
	@FieldSource("hostile")
	@ShowsRow(value = 40, level = Level.B)
	void aKeyOfARequestIsDataWhateverItSays(String key, RowFigures figures) {
		figures.server(server.label());
		LockOperations locks = context.getBean(LockOperations.class);
		try (LockHandle handle = locks.acquire(LockRequest.builder(key).name(key).build())) {
			assertThat(handle.key()).isEqualTo(key);
			assertThat(other.stored(key).getList("holders", Document.class)).hasSize(1);
			assertThat(other.isFree(key)).isFalse();
			handle.renew();
		}
		assertThat(other.isFree(key)).isTrue();
	}

	@ParameterizedTest
	@FieldSource("refused")
	@ShowsRow(value = 40, level = Level.B)
	void anArgumentThatIsNoKeyIsRefused(Object value, String reason, RowFigures figures) {
		figures.server(server.label());
		long before = other.collection().countDocuments();
		assertThatIllegalArgumentException().isThrownBy(() -> context.getBean(GuardedService.class).keyOf(value))
			.withMessageContaining("keyOf(Object)")
			.withMessageContaining(reason);
		assertThat(other.collection().countDocuments()).isEqualTo(before);
	}

	@Test
	@ShowsRow(value = 40, level = Level.B)
	void aNameIsNoExpression(RowFigures figures) {
		figures.server(server.label());
		assertThat(context.getBean(GuardedService.class).literalName())
			.isEqualTo("#{T(java.lang.System).getProperty('user.name')}:$where");
	}

	@Test
	@ShowsRow(value = 40, level = Level.B)
	void prefixCollectionAndOwnerAreData(RowFigures figures) {
		figures.server(server.label());
		String prefix = "$$ROOT#{1+1}:";
		try (ConfigurableApplicationContext odd = server.run(GuardedApplication.class,
				"mongo-lock.key-prefix=" + prefix, "spring.application.name=$where",
				"mongo-lock.collection=locks.a-b")) {
			LockOperations locks = odd.getBean(LockOperations.class);
			try (LockHandle handle = locks.acquire(LockRequest.of("$k"))) {
				assertThat(handle.key()).isEqualTo("$k");
				Document stored = other.collection("locks.a-b").find(new Document("_id", prefix + "$k")).first();
				assertThat(stored).isNotNull();
				assertThat(stored.toString()).contains("$where");
			}
		}
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			ttl=0s                         | mongo-lock.ttl                 | at least 100ms
			ttl=30 parsecs                 | mongo-lock.ttl                 | 30 parsecs
			ttl=99999999999999999999d      | mongo-lock.ttl                 | 99999999999999999999d
			ttl=106751992d                 | mongo-lock.ttl                 | at most 10000 days
			wait-timeout=-1s               | mongo-lock.wait-timeout        | at least 0ms
			wait-timeout=20000d            | mongo-lock.wait-timeout        | at most 10000 days
			margin=30s                     | mongo-lock.margin              | shorter than the ttl (30000ms)
			renew-interval=20s             | mongo-lock.renew-interval      | (30000ms - 6000ms) / 3 = 8000ms
			operation-timeout=10s          | mongo-lock.operation-timeout   | = 8000ms
			locks.data.ttl=1ms             | mongo-lock.locks.data.ttl      | at least 100ms
			collection=a$b                 | mongo-lock.collection          | must not hold '$'
			ttl-index.retention=100000d    | mongo-lock.ttl-index.retention | 2147483647 seconds
			shutdown-timeout=-1s           | mongo-lock.shutdown-timeout    | longer than zero
			""")
	@ShowsRow(value = 41, level = Level.B)
	void aWrongPropertyStopsTheStartWithValueAndLimit(String setting, String property, String reason,
			RowFigures figures, CapturedOutput output) {
		figures.server(server.label());
		assertThatException().isThrownBy(() -> server.run(GuardedApplication.class, "mongo-lock." + setting).close());
		assertThat(output).contains("APPLICATION FAILED TO START").contains(property).contains(reason);
	}

	@Test
	@ShowsRow(value = 41, level = Level.B)
	void aPrefixThatLeavesNoRoomStopsTheStart(RowFigures figures, CapturedOutput output) {
		figures.server(server.label());
		assertThatException().isThrownBy(
				() -> server.run(GuardedApplication.class, "mongo-lock.key-prefix=" + "p".repeat(1024)).close());
		assertThat(output).contains("APPLICATION FAILED TO START")
			.contains("mongo-lock.key-prefix")
			.contains("at most 1023 bytes");
	}

}
