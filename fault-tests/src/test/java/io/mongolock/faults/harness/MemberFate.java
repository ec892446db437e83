package io.mongolock.faults.harness;

import java.util.function.Consumer;

import io.mongolock.test.server.RealMember;

/**
 * What becomes of a primary of a real set.
 */
public enum MemberFate {

	/** SIGKILL. */
	KILLED(RealMember::kill),

	/** SIGSTOP: it stands still and knows nothing of what happens meanwhile. */
	FROZEN(RealMember::freeze),

	/** From the other members and not from clients. */
	CUT_OFF(RealMember::isolate),

	/** By command, whether or not the others have caught up. */
	STEPPED_DOWN((primary) -> {
	});

	private final Consumer<RealMember> fault;

	MemberFate(Consumer<RealMember> fault) {
		this.fault = fault;
	}

	/** Let it happen, and wait for no other primary. */
	public void befall(RealSet set) {
		if (this == STEPPED_DOWN) {
			set.stepDown();
		}
		else {
			this.fault.accept(set.members().primary());
		}
	}

}
