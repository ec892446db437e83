package io.mongolock.test.proxy;

import java.io.IOException;
import java.time.Duration;

import org.bson.BsonInt32;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link FaultProxy} in front of a server that only counts.
 */
@Timeout(60)
class FaultProxyTests {

	private static final Duration LONG = Duration.ofSeconds(10);

	private static final Duration FOREVER = Duration.ofDays(1);

	private FakeServer server;

	private FaultProxy proxy;

	private FakeClient client;

	@BeforeEach
	void start() throws IOException {
		this.server = new FakeServer();
		this.proxy = FaultProxy.to(this.server.host(), this.server.port());
		this.client = new FakeClient(this.proxy.port());
	}

	@AfterEach
	void stop() throws IOException {
		this.client.close();
		this.proxy.close();
		this.server.close();
	}

	@Test
	void withoutAFaultEverythingPassesUntouchedAndIsCounted() throws IOException {
		Message reply = this.client.ask("{ping: 1}");
		assertThat(reply.responseTo()).isEqualTo(1);
		assertThat(Wire.body(reply).get("n")).isEqualTo(new BsonInt32(1));
		assertThat(this.proxy.requests("PING")).isOne();
		assertThat(this.proxy.replies("ping")).isOne();
		assertThat(this.proxy.requests("find")).isZero();
	}

	@Test
	void aDroppedRequestNeverReachesTheServer() throws IOException {
		Fault fault = this.proxy.on("update").dropRequest().once();
		this.client.send("{update: 'locks'}");
		Message reply = this.client.ask("{ping: 1}");
		assertThat(reply.responseTo()).isEqualTo(2);
		assertThat(this.server.executed()).containsExactly("ping");
		assertThat(fault.applied()).isOne();
	}

	@Test
	void aDroppedReplyLeavesTheRequestExecutedAndTheConnectionOpen() throws IOException {
		this.proxy.on("findAndModify").dropReply().once();
		this.client.send("{findAndModify: 'locks'}");
		assertThat(this.client.ask("{ping: 1}").responseTo()).isEqualTo(2);
		assertThat(this.client.ask("{findAndModify: 'locks'}").responseTo()).isEqualTo(3);
		assertThat(this.server.executed()).containsExactly("findAndModify", "ping", "findAndModify");
	}

	@Test
	void aFaultHappensAsOftenAsToldAndThenNoMore() throws IOException {
		Fault twice = this.proxy.on("update").dropRequest().times(2);
		Fault always = this.proxy.on("delete").dropRequest().always();
		for (int i = 0; i < 3; i++) {
			this.client.send("{update: 'locks'}");
			this.client.send("{delete: 'locks'}");
		}
		assertThat(this.client.read().responseTo()).isEqualTo(5);
		await().until(() -> always.applied() == 3);
		assertThat(twice.applied()).isEqualTo(2);
		always.disarm();
		assertThat(this.client.ask("{delete: 'locks'}").responseTo()).isEqualTo(7);
	}

	@Test
	void onlyCommandsThatFitAreBefallen() throws IOException {
		this.proxy.on("update")
			.database("test")
			.collection("locks")
			.when((command) -> command.containsKey("mine"))
			.dropRequest()
			.always();
		this.client.ask("{update: 'locks', $db: 'test'}");
		this.client.ask("{update: 'orders', $db: 'test', mine: 1}");
		this.client.ask("{update: 'locks', $db: 'other', mine: 1}");
		this.client.send("{update: 'locks', $db: 'test', mine: 1}");
		this.client.ask("{ping: 1}");
		assertThat(this.server.executed()).containsExactly("update", "update", "update", "ping");
	}

	@Test
	void aHeldRequestIsDeliveredLateEvenIfItsClientHasGone() throws IOException {
		Hold hold = this.proxy.on("update").holdRequest();
		this.client.send("{update: 'locks'}");
		hold.awaitHeld();
		this.client.close();
		try (FakeClient other = new FakeClient(this.proxy.port())) {
			other.ask("{update: 'locks'}");
			assertThat(this.server.executed()).hasSize(1);
			hold.release();
			this.proxy.awaitReplies("update", 2, LONG);
		}
		assertThat(this.server.executed()).hasSize(2);
		await().until(() -> this.server.connections() == 0);
	}

	@Test
	void aHeldReplyComesOnceReleased() throws IOException {
		Hold hold = this.proxy.on("update").holdReply();
		this.client.send("{update: 'locks'}");
		hold.awaitHeld();
		assertThat(this.server.executed()).containsExactly("update");
		assertThat(this.client.available()).isZero();
		hold.release();
		assertThat(this.client.read().responseTo()).isEqualTo(1);
	}

	@Test
	void allRequestsOfACommandAreHeldUntilReleased() throws IOException {
		Hold hold = this.proxy.on("update").holdAllRequests();
		try (FakeClient other = new FakeClient(this.proxy.port())) {
			this.client.send("{update: 'locks'}");
			other.send("{update: 'locks'}");
			this.proxy.awaitRequests("update", 2, LONG);
			assertThat(this.server.executed()).isEmpty();
			hold.release();
			assertThat(this.client.read()).isNotNull();
			assertThat(other.read()).isNotNull();
			assertThat(other.ask("{update: 'locks'}")).isNotNull();
		}
	}

	@Test
	void allRepliesToACommandAreHeldUntilReleased() throws IOException {
		Hold hold = this.proxy.on("update").holdAllReplies();
		try (FakeClient other = new FakeClient(this.proxy.port())) {
			this.client.send("{update: 'locks'}");
			other.send("{update: 'locks'}");
			this.proxy.awaitReplies("update", 2, LONG);
			assertThat(this.client.available() + other.available()).isZero();
			hold.release();
			assertThat(this.client.read()).isNotNull();
			assertThat(other.read()).isNotNull();
		}
	}

	@Test
	void aDelayedRequestIsExecutedAndADelayedReplyReceivedNoSoonerThanTold() throws IOException {
		Duration delay = Duration.ofMillis(60);
		this.proxy.on("update").delayRequest(delay).once();
		this.proxy.on("find").delayReply(delay).once();
		for (String command : new String[] { "{update: 'locks'}", "{find: 'locks'}" }) {
			long start = System.nanoTime();
			this.client.ask(command);
			assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(delay);
		}
	}

	@Test
	void healingDeliversWhatIsHeldOrDelayed() throws IOException {
		this.proxy.on("update").delayRequest(FOREVER).always();
		Hold hold = this.proxy.on("find").holdReply();
		try (FakeClient other = new FakeClient(this.proxy.port())) {
			this.client.send("{update: 'locks'}");
			other.send("{find: 'locks'}");
			this.proxy.awaitRequests("update", 1, LONG);
			hold.awaitHeld();
			await().until(() -> {
				this.proxy.heal();
				return this.client.available() > 0;
			});
			assertThat(this.client.read()).isNotNull();
			assertThat(other.read()).isNotNull();
		}
	}

	@Test
	void clearingLeavesHeldWhatIsHeld() throws IOException {
		Hold hold = this.proxy.on("update").holdReply();
		this.proxy.on("ping").dropRequest().always();
		this.client.send("{update: 'locks'}");
		hold.awaitHeld();
		this.proxy.clear();
		try (FakeClient other = new FakeClient(this.proxy.port())) {
			assertThat(other.ask("{ping: 1}")).isNotNull();
		}
		assertThat(this.client.available()).isZero();
	}

	@Test
	void aCutBeforeTheRequestLeavesItUnexecuted() throws IOException {
		this.proxy.on("update").cut().once();
		this.client.send("{update: 'locks'}");
		assertThatReset();
		assertThat(this.server.executed()).isEmpty();
	}

	@Test
	void aCutBeforeTheReplyLeavesTheRequestExecuted() throws IOException {
		this.proxy.on("update").cutBeforeReply().once();
		this.client.send("{update: 'locks'}");
		assertThatReset();
		assertThat(this.server.executed()).containsExactly("update");
	}

	@Test
	void aCutInTheReplyLeavesTheRequestExecutedAndTheReplyIncomplete() throws IOException {
		this.proxy.on("update").cutInReply().once();
		this.client.send("{update: 'locks'}");
		assertThatReset();
		assertThat(this.server.executed()).containsExactly("update");
	}

	@Test
	void allConnectionsCanBeCutAtOnce() throws IOException {
		this.client.ask("{ping: 1}");
		this.proxy.cut();
		assertThatReset();
		await().until(() -> this.server.connections() == 0);
	}

	@Test
	void aHalfOpenConnectionStaysOpenAndDeadEvenOnceHealed() throws IOException {
		this.proxy.on("update").halfOpen().once();
		this.client.send("{update: 'locks'}");
		this.proxy.awaitRequests("update", 1, LONG);
		this.proxy.heal();
		this.client.send("{ping: 1}");
		try (FakeClient other = new FakeClient(this.proxy.port())) {
			other.ask("{find: 'locks'}");
		}
		assertThat(this.client.available()).isZero();
		assertThat(this.server.executed()).containsExactly("find");
		this.client.close();
		await().until(() -> this.server.connections() == 0);
	}

	@Test
	void newConnectionsCanBeHalfOpenWhileOldOnesWork() throws IOException {
		this.client.ask("{ping: 1}");
		this.proxy.halfOpenNewConnections();
		try (FakeClient other = new FakeClient(this.proxy.port())) {
			other.send("{ping: 1}");
			this.client.ask("{ping: 1}");
			assertThat(other.available()).isZero();
		}
		assertThat(this.server.executed()).hasSize(2);
	}

	@Test
	void newConnectionsCanBeRefusedWhileOldOnesWork() throws IOException {
		this.client.ask("{ping: 1}");
		this.proxy.refuseNewConnections();
		assertThatExceptionOfType(IOException.class).isThrownBy(() -> {
			try (FakeClient other = new FakeClient(this.proxy.port())) {
				assertThat(other.ask("{ping: 1}")).isNull();
				throw new IOException("Closed");
			}
		});
		assertThat(this.client.ask("{ping: 1}")).isNotNull();
		this.proxy.heal();
		try (FakeClient other = new FakeClient(this.proxy.port())) {
			assertThat(other.ask("{ping: 1}")).isNotNull();
		}
	}

	@Test
	void aDrippingReplyComesByteByByte() throws IOException {
		this.proxy.on("update").drip(1_000).once();
		long start = System.nanoTime();
		Message reply = this.client.ask("{update: 'locks'}");
		assertThat(Duration.ofNanos(System.nanoTime() - start))
			.isGreaterThanOrEqualTo(Duration.ofMillis(reply.bytes().length));
		this.proxy.on("update").drip(10).once();
		this.client.send("{update: 'locks'}");
		this.client.readByte();
		assertThat(this.client.available()).isLessThan(reply.bytes().length - 1);
	}

	@Test
	void aDoubledRequestIsExecutedTwiceAndAnsweredOnce() throws IOException {
		this.proxy.on("update").duplicateRequest().once();
		assertThat(Wire.body(this.client.ask("{update: 'locks'}")).get("n")).isEqualTo(new BsonInt32(1));
		Message next = this.client.ask("{ping: 1}");
		assertThat(next.responseTo()).isEqualTo(2);
		assertThat(this.server.executed()).containsExactly("update", "update", "ping");
		assertThat(this.proxy.requests("update")).isOne();
		assertThat(this.proxy.replies("update")).isEqualTo(2);
	}

	@Test
	void aBlackholeSwallowsAllConnectionsAndDeliversOnceHealed() throws IOException {
		this.client.ask("{ping: 1}");
		this.proxy.blackhole();
		try (FakeClient other = new FakeClient(this.proxy.port())) {
			this.client.send("{ping: 1}");
			other.send("{ping: 1}");
			this.proxy.awaitRequests("ping", 3, LONG);
			assertThat(this.server.executed()).hasSize(1);
			this.client.close();
			this.proxy.heal();
			assertThat(other.read()).isNotNull();
		}
		this.proxy.awaitReplies("ping", 3, LONG);
	}

	@Test
	void repliesThatFollowByThemselvesPassAndKeepNoConnectionOpen() throws IOException {
		this.client.send("{watch: 1}");
		assertThat(this.client.read().responseTo()).isEqualTo(1);
		assertThat(this.client.read().responseTo()).isEqualTo(1_001);
		assertThat(this.client.read().responseTo()).isEqualTo(1_002);
		assertThat(this.proxy.replies("watch")).isEqualTo(3);
		this.client.close();
		await().until(() -> this.server.connections() == 0);
	}

	@Test
	void aRequestThatWantsNoReplyLeavesNothingPending() throws IOException {
		this.client.send("{insert: 'locks'}", Wire.MORE_TO_COME);
		this.client.ask("{ping: 1}");
		assertThat(this.server.executed()).containsExactly("insert", "ping");
		this.client.close();
		await().until(() -> this.server.connections() == 0);
	}

	@Test
	void aServerThatIsGoneIsSeenAsSuch() throws IOException {
		this.client.ask("{ping: 1}");
		this.server.close();
		assertThat(this.client.readByte()).isNegative();
		try (FakeClient other = new FakeClient(this.proxy.port())) {
			assertThatExceptionOfType(IOException.class).isThrownBy(() -> {
				assertThat(other.ask("{ping: 1}")).isNull();
				throw new IOException("Closed");
			});
		}
	}

	@Test
	void afterCloseNothingIsLeft() throws IOException {
		Hold hold = this.proxy.on("update").holdRequest();
		this.client.send("{update: 'locks'}");
		hold.awaitHeld();
		String threads = "fault-proxy-" + this.proxy.port();
		this.proxy.close();
		await().until(() -> Thread.getAllStackTraces()
			.keySet()
			.stream()
			.noneMatch((thread) -> thread.getName().startsWith(threads)));
		await().until(() -> this.server.connections() == 0);
		assertThat(this.server.executed()).isEmpty();
	}

	@Test
	void waitingInVainSaysWhatWasSeen() throws IOException {
		this.client.ask("{ping: 1}");
		Duration brief = Duration.ofMillis(1);
		assertThatIllegalStateException().isThrownBy(() -> this.proxy.awaitRequests("find", 1, brief))
			.withMessageContaining("Saw 0 requests of 'find' within 1ms, not 1")
			.withMessageContaining("ping=1");
		Hold hold = this.proxy.on("find").holdRequest();
		assertThatIllegalStateException().isThrownBy(() -> hold.awaitHeld(brief)).withMessageContaining("1ms");
		assertThat(hold.isHeld()).isFalse();
	}

	@Test
	void numbersThatMakeNoSenseAreRefused() {
		CommandSelection any = this.proxy.onAny();
		assertThatIllegalArgumentException().isThrownBy(() -> any.dropReply().times(0)).withMessageContaining("0");
		assertThatIllegalArgumentException().isThrownBy(() -> any.drip(0)).withMessageContaining("0");
	}

	private void assertThatReset() {
		assertThatExceptionOfType(IOException.class).isThrownBy(() -> {
			if (this.client.read() == null) {
				throw new IOException("Ended within the message");
			}
		});
	}

}
