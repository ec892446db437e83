package io.mongolock.faults.harness.register;

import java.util.HashSet;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * A lock as a register with a fence: the highest fence that was given out, who holds it,
 * and the leases that nobody is known to use any more, which end at any time or go to the
 * next one of the same process. Immutable.
 */
record LockRegister(long fence, Set<Holder> holders, Set<String> leases) {

	static final LockRegister FREE = new LockRegister(0, Set.of(), Set.of());

	private int limit() {
		return this.holders.stream().mapToInt(Holder::limit).reduce(Integer.MAX_VALUE, Math::min);
	}

	private LockRegister with(Set<Holder> holders, Set<String> leases) {
		return new LockRegister(this.fence, holders, leases);
	}

	private static <T> Set<T> plus(Set<T> all, T one) {
		Set<T> plus = new HashSet<>(all);
		plus.add(one);
		return plus;
	}

	private static <T> Set<T> minus(Set<T> all, T one) {
		Set<T> minus = new HashSet<>(all);
		minus.remove(one);
		return minus;
	}

	@Override
	public String toString() {
		return "fence " + this.fence + ", held by " + this.holders + ", other leases " + this.leases;
	}

	/**
	 * The holder of the lock.
	 *
	 * @param lease the token of the lease
	 * @param believes whether it is certain to believe so: the store then has the lease.
	 * Else it is certain alone that nobody else can be granted the lock
	 */
	record Holder(String lease, long fence, int limit, boolean believes) {

		@Override
		public String toString() {
			return "fence " + this.fence + " under lease " + this.lease + ((this.believes) ? "" : ", maybe without it");
		}

	}

	/**
	 * A grant.
	 *
	 * @param handedOver whether the lease had a holder before
	 */
	record Acquired(String lease, long fence, int limit, boolean handedOver, long calledNanos,
			long returnedNanos) implements Operation<LockRegister> {

		@Override
		public @Nullable LockRegister apply(LockRegister state) {
			int limit = Math.min(this.limit, state.limit());
			if (this.fence <= state.fence || state.holders.size() >= limit
					|| (this.handedOver && !state.leases.contains(this.lease))) {
				return null;
			}
			return new LockRegister(this.fence,
					plus(state.holders, new Holder(this.lease, this.fence, this.limit, true)), Set.of());
		}

		@Override
		public String toString() {
			return "grant of fence " + this.fence + " under lease " + this.lease
					+ ((this.handedOver) ? ", handed over" : "");
		}

	}

	/**
	 * The last moment at which a holder is certain to have believed that it holds.
	 */
	record Believed(long fence, long calledNanos) implements Operation<LockRegister> {

		@Override
		public long returnedNanos() {
			return this.calledNanos;
		}

		@Override
		public @Nullable LockRegister apply(LockRegister state) {
			return state.holders.stream()
				.filter((holder) -> holder.fence() == this.fence && holder.believes())
				.findFirst()
				.map((holder) -> state.with(plus(minus(state.holders, holder),
						new Holder(holder.lease(), holder.fence(), holder.limit(), false)), state.leases))
				.orElse(null);
		}

		@Override
		public String toString() {
			return "last time that the holder of fence " + this.fence + " believed in it";
		}

	}

	/**
	 * The last moment at which nobody else can have been granted the lock: from then on
	 * it is released, runs out or is handed over, at once or later.
	 */
	record Ended(long fence, long calledNanos) implements Operation<LockRegister> {

		@Override
		public long returnedNanos() {
			return this.calledNanos;
		}

		@Override
		public @Nullable LockRegister apply(LockRegister state) {
			return state.holders.stream()
				.filter((holder) -> holder.fence() == this.fence && !holder.believes())
				.findFirst()
				.map((holder) -> state.with(minus(state.holders, holder), plus(state.leases, holder.lease())))
				.orElse(null);
		}

		@Override
		public String toString() {
			return "last moment of fence " + this.fence + " alone";
		}

	}

	/**
	 * A read of the leases that the store has. Those whose holders wrote down nothing are
	 * claims without an answer, which took effect, and leases that come to an end.
	 *
	 * @param limit the largest of the lock
	 */
	record Looked(Set<String> leases, int limit, long calledNanos,
			long returnedNanos) implements Operation<LockRegister> {

		@Override
		public @Nullable LockRegister apply(LockRegister state) {
			boolean allThere = state.holders.stream()
				.filter(Holder::believes)
				.allMatch((holder) -> this.leases.contains(holder.lease()));
			if (!allThere || this.leases.size() > Math.min(this.limit, state.limit())) {
				return null;
			}
			Set<String> left = new HashSet<>(state.leases);
			left.retainAll(this.leases);
			return state.with(state.holders, left);
		}

		@Override
		public String toString() {
			return "look that saw the leases " + this.leases;
		}

	}

}
