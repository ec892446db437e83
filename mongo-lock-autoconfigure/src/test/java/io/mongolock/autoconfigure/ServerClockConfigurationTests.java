package io.mongolock.autoconfigure;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

import com.mongodb.ServerAddress;
import com.mongodb.connection.ClusterId;
import com.mongodb.connection.ConnectionId;
import com.mongodb.connection.ServerId;
import com.mongodb.event.ServerHeartbeatSucceededEvent;
import org.bson.BsonBoolean;
import org.bson.BsonDateTime;
import org.bson.BsonDocument;
import org.junit.jupiter.api.Test;
import org.mockito.Mockito;

import io.mongolock.LockClock;
import io.mongolock.LockSettings;
import io.mongolock.core.ConfiguredSettings;
import io.mongolock.store.mongo.ServerClockWatch;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link ServerClockConfiguration}.
 */
class ServerClockConfigurationTests {

	@Test
	void whenANameHasAShorterMarginThenServersMayDifferByThatAlone() {
		LockSettings precise = LockSettings.builder().margin(Duration.ofMillis(200)).build();
		assertThat(offBy300Millis(Map.of("precise", precise))).containsOnlyKeys("db2:27017");
		assertThat(offBy300Millis(Map.of())).isEmpty();
	}

	private static Map<String, Duration> offBy300Millis(Map<String, LockSettings> byName) {
		Map<String, Duration> off = new HashMap<>();
		ServerClockWatch watch = ServerClockConfiguration.mongoLockServerClockWatch(Mockito.mock(LockClock.class),
				new ConfiguredSettings(LockSettings.NONE, byName, null));
		watch.onClockOff(off::put);
		for (int round = 0; round < 2; round++) {
			watch.serverHeartbeatSucceeded(heartbeat("db1", 0, true));
			watch.serverHeartbeatSucceeded(heartbeat("db2", 300, false));
		}
		return off;
	}

	private static ServerHeartbeatSucceededEvent heartbeat(String host, long time, boolean primary) {
		BsonDocument reply = new BsonDocument("localTime", new BsonDateTime(time)).append("isWritablePrimary",
				BsonBoolean.valueOf(primary));
		return new ServerHeartbeatSucceededEvent(
				new ConnectionId(new ServerId(new ClusterId(), new ServerAddress(host))), reply, 0, false);
	}

}
