package io.mongolock.core;

import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LocalWaitQueues}.
 */
class LocalWaitQueuesTests {

	private final LocalWaitQueues<Member, Member> queues = new LocalWaitQueues<>();

	private final Member a = new Member("a", 1);

	private final Member b = new Member("b", 1);

	private final Member c = new Member("c", 1);

	@Test
	void theFirstMayAskAtOnceAndTheNextWhenItLeaves() {
		assertThat(this.queues.join("k", this.a)).isTrue();
		assertThat(this.queues.join("k", this.b)).isFalse();
		assertThat(this.queues.join("k", this.c)).isFalse();
		assertThat(this.queues.left("k", this.a)).isEqualTo(this.b);
		assertThat(this.queues.left("k", this.b)).isEqualTo(this.c);
		assertThat(this.queues.left("k", this.c)).isNull();
		assertThat(this.queues.waiters()).isEmpty();
	}

	@Test
	void nobodyAsksWhileAHolderOfThisJvmWouldMakeTheStoreRefuse() {
		this.queues.join("k", this.a);
		assertThat(this.queues.granted("k", this.a, this.a)).isNull();
		assertThat(this.queues.join("k", this.b)).isFalse();
		assertThat(this.queues.join("k", this.c)).isFalse();
		assertThat(this.queues.holders("k")).containsExactly(this.a);
		assertThat(this.queues.released("k", this.a)).isEqualTo(this.b);
		assertThat(this.queues.released("k", this.a)).as("b has its turn already").isNull();
	}

	@Test
	void aWaiterThatLeavesTheMiddleOfTheLocalQueueIsSkipped() {
		this.queues.join("k", this.a);
		this.queues.join("k", this.b);
		this.queues.join("k", this.c);
		assertThat(this.queues.left("k", this.b)).isNull();
		assertThat(this.queues.left("k", this.a)).isEqualTo(this.c);
	}

	@Test
	void holdersUpToTheLimitAskOneAfterTheOther() {
		Member one = new Member("one", 2);
		Member two = new Member("two", 2);
		Member three = new Member("three", 2);
		assertThat(this.queues.join("k", one)).isTrue();
		assertThat(this.queues.join("k", two)).isFalse();
		assertThat(this.queues.join("k", three)).isFalse();
		assertThat(this.queues.granted("k", one, one)).isEqualTo(two);
		assertThat(this.queues.granted("k", two, two)).isNull();
		assertThat(this.queues.released("k", one)).isEqualTo(three);
	}

	@Test
	void anExclusiveClaimWaitsForAllSharedHolders() {
		Member shared = new Member("shared", Integer.MAX_VALUE);
		this.queues.join("k", shared);
		this.queues.granted("k", shared, shared);
		assertThat(this.queues.join("k", this.a)).isFalse();
		assertThat(this.queues.released("k", shared)).isEqualTo(this.a);
	}

	@Test
	void aSharedClaimWaitsForAnExclusiveHolder() {
		Member shared = new Member("shared", Integer.MAX_VALUE);
		this.queues.join("k", this.a);
		this.queues.granted("k", this.a, this.a);
		assertThat(this.queues.join("k", shared)).isFalse();
		assertThat(this.queues.released("k", this.a)).isEqualTo(shared);
	}

	@Test
	void aNewcomerThatMightAskDoesNotOvertakeOneWhoMayNot() {
		Member shared = new Member("shared", Integer.MAX_VALUE);
		Member newcomer = new Member("newcomer", Integer.MAX_VALUE);
		this.queues.join("k", shared);
		this.queues.granted("k", shared, shared);
		assertThat(this.queues.join("k", this.a)).isFalse();
		assertThat(this.queues.join("k", newcomer)).isFalse();
		assertThat(this.queues.released("k", shared)).isEqualTo(this.a);
	}

	@Test
	void anAttemptThatDoesNotWaitAsksBesideThoseAheadIfAllCouldBeAdmitted() {
		Member[] three = IntStream.range(0, 3).mapToObj((i) -> new Member("m" + i, 3)).toArray(Member[]::new);
		assertThat(this.queues.join("k", three[0])).isTrue();
		assertThat(this.queues.joinOnce("k", three[1])).isTrue();
		assertThat(this.queues.join("k", three[2])).isFalse();
		assertThat(this.queues.waiters()).containsExactly(three[0], three[1], three[2]);
		assertThat(this.queues.joinOnce("k", new Member("fourth", 3))).as("three are ahead").isFalse();
		assertThat(this.queues.joinOnce("k", this.a)).as("wants to be alone").isFalse();
	}

	@Test
	void anAttemptThatAsksBesideOthersLeavesOrHoldsLikeAnyOther() {
		Member shared = new Member("shared", Integer.MAX_VALUE);
		Member beside = new Member("beside", Integer.MAX_VALUE);
		Member denied = new Member("denied", Integer.MAX_VALUE);
		this.queues.join("k", shared);
		assertThat(this.queues.joinOnce("k", beside)).isTrue();
		assertThat(this.queues.joinOnce("k", denied)).isTrue();
		assertThat(this.queues.left("k", denied)).isNull();
		assertThat(this.queues.granted("k", beside, beside)).isNull();
		assertThat(this.queues.granted("k", shared, shared)).isNull();
		assertThat(this.queues.join("k", this.a)).isFalse();
		assertThat(this.queues.released("k", shared)).isNull();
		assertThat(this.queues.released("k", beside)).isEqualTo(this.a);
		assertThat(this.queues.left("k", this.a)).isNull();
		assertThat(this.queues.waiters()).isEmpty();
	}

	@Test
	void nobodyAsksBesideAnExclusiveClaimThatIsAhead() {
		Member shared = new Member("shared", Integer.MAX_VALUE);
		this.queues.join("k", shared);
		this.queues.join("k", this.a);
		assertThat(this.queues.joinOnce("k", new Member("late", Integer.MAX_VALUE))).isFalse();
		assertThat(this.queues.join("l", this.a)).isTrue();
		assertThat(this.queues.joinOnce("l", new Member("late", Integer.MAX_VALUE))).isFalse();
	}

	@Test
	void keysDoNotWaitForEachOther() {
		assertThat(this.queues.join("k", this.a)).isTrue();
		assertThat(this.queues.join("l", this.b)).isTrue();
	}

	@Test
	void theFirstWaiterIsKnown() {
		this.queues.join("k", this.a);
		this.queues.join("k", this.b);
		assertThat(this.queues.first("k")).contains(this.a);
		assertThat(this.queues.waiters()).containsExactly(this.a, this.b);
		assertThat(this.queues.first("other")).isEmpty();
	}

	@Test
	void aHolderIsSucceededByTheFirstIfItSuitsAndNobodyAsks() {
		this.queues.join("k", this.a);
		this.queues.granted("k", this.a, this.a);
		assertThat(this.queues.successor("k", this.a, (any) -> true)).as("nobody waits").isNull();
		this.queues.join("k", this.b);
		this.queues.join("k", this.c);
		assertThat(this.queues.successor("k", this.a, (any) -> any == this.c)).as("only the first").isNull();
		assertThat(this.queues.successor("k", this.c, (any) -> true)).as("holds nothing").isNull();
		assertThat(this.queues.successor("k", this.a, (any) -> true)).isEqualTo(this.b);
		assertThat(this.queues.successor("k", this.a, (any) -> true)).as("b has the turn").isNull();
		assertThat(this.queues.handedOver("k", this.a, this.b, this.b)).isNull();
		assertThat(this.queues.holders("k")).containsExactly(this.b);
		assertThat(this.queues.released("k", this.b)).isEqualTo(this.c);
	}

	@Test
	void aSuccessorThatLeavesMakesRoomForTheNext() {
		this.queues.join("k", this.a);
		this.queues.granted("k", this.a, this.a);
		this.queues.join("k", this.b);
		this.queues.join("k", this.c);
		this.queues.successor("k", this.a, (any) -> true);
		assertThat(this.queues.left("k", this.b)).as("a holds").isNull();
		assertThat(this.queues.successor("k", this.a, (any) -> true)).isEqualTo(this.c);
	}

	private record Member(String name, int limit) implements WaitQueue.Member {

	}

}
