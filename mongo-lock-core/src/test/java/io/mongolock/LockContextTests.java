package io.mongolock;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.mongolock.LockContext.Scope;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link LockContext}.
 */
@SuppressWarnings("try") // closing is what the resources are for
class LockContextTests {

	private final LockHandle outer = new NamedHandle("outer");

	private final LockHandle inner = new NamedHandle("inner");

	@AfterEach
	void nothingIsLeftOnTheThread() {
		assertThat(LockContext.find((any) -> true)).isEmpty();
	}

	@Test
	void theInnermostIsTheCurrentOne() {
		try (Scope first = LockContext.enter(this.outer)) {
			try (Scope second = LockContext.enter(this.inner)) {
				assertThat(LockContext.current()).isSameAs(this.inner);
				assertThat(LockContext.find((handle) -> handle.key().equals("outer"))).contains(this.outer);
				assertThat(second).isNotSameAs(first);
			}
			assertThat(LockContext.current()).isSameAs(this.outer);
		}
	}

	@Test
	void aScopeIsNotClosedOnAnotherThreadAndNeitherThreadIsChanged() {
		String here = Thread.currentThread().getName();
		try (Scope first = LockContext.enter(this.outer); Scope second = LockContext.enter(this.inner)) {
			assertThatExceptionOfType(CompletionException.class).isThrownBy(() -> CompletableFuture.runAsync(() -> {
				LockHandle other = new NamedHandle("other");
				try (Scope own = LockContext.enter(other)) {
					assertThatIllegalStateException().isThrownBy(second::close);
					assertThat(LockContext.current()).isSameAs(other);
					assertThat(own).isNotNull();
				}
				assertThat(LockContext.find((any) -> true)).isEmpty();
				first.close();
			}).join())
				.havingCause()
				.isInstanceOf(IllegalStateException.class)
				.withMessageContaining(
						"The scope of lock 'outer' was entered on thread " + here + " and cannot be closed on thread ");
			assertThat(LockContext.current()).isSameAs(this.inner);
		}
	}

	@Test
	void aScopeClosedBeforeThoseWithinEndsThemAndSaysSo() {
		Scope around = LockContext.enter(new NamedHandle("around"));
		Scope first = LockContext.enter(this.outer);
		Scope second = LockContext.enter(this.inner);
		assertThatIllegalStateException().isThrownBy(first::close)
			.withMessageContaining("The scope of lock 'outer' was closed before the inner scope of lock 'inner'");
		assertThat(LockContext.current().key()).isEqualTo("around");
		second.close();
		first.close();
		assertThat(LockContext.current().key()).isEqualTo("around");
		around.close();
	}

	private record NamedHandle(String key) implements LockHandle {

		@Override
		public long fence() {
			return 1;
		}

		@Override
		public boolean isHeld() {
			return true;
		}

		@Override
		public void assertHeld() {
		}

		@Override
		public Duration remaining() {
			return Duration.ZERO;
		}

		@Override
		public void renew() {
		}

		@Override
		public void close() {
		}

		@Override
		public String toString() {
			return "lock '" + this.key + "'";
		}

	}

}
