package io.mongolock.faults.spring;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.annotation.Bean;

import io.mongolock.LockHolder;
import io.mongolock.LockStoreException;
import io.mongolock.LockUnavailableException;
import io.mongolock.LockUnavailableHandler;
import io.mongolock.OnUnavailable;
import io.mongolock.annotation.DistributedLock;
import io.mongolock.faults.harness.Harness;
import io.mongolock.faults.harness.matrix.Level;
import io.mongolock.faults.harness.matrix.ShowsRow;
import io.mongolock.store.StoredHolder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/**
 * Row 85: what answers the caller of a method whose lock is not free does so only if
 * another is known to hold it.
 */
@Timeout(120)
class UnavailableAnswerTests {

	@AutoClose
	private final SpringApp app = new SpringApp(Harness.onAnyServer(), Desks.class, "mongo-lock.wait-timeout=200ms",
			"mongo-lock.locks.skipped.wait-timeout=200ms");

	private final Desk desk = this.app.bean(Desk.class);

	@Test
	@ShowsRow(value = 85, level = Level.SPRING)
	void aStoreInTroubleIsNoAnswer() {
		this.app.harness().proxy().on("findAndModify").cutInReply().always();
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(this.desk::skip);
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(this.desk::fallBack);
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(this.desk::handle);
		this.app.harness().proxy().clear();
		assertThat(this.desk.heard()).isEmpty();
	}

	@Test
	@ShowsRow(value = 85, level = Level.SPRING)
	void anInterruptIsNoAnswer() {
		occupyAll();
		for (Runnable call : List.<Runnable>of(this.desk::skip, this.desk::fallBack, this.desk::handle)) {
			Thread.currentThread().interrupt();
			assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(call::run)
				.withMessageStartingWith("The call was interrupted");
			assertThat(Thread.interrupted()).isTrue();
		}
		assertThat(this.desk.heard()).isEmpty();
	}

	@Test
	@ShowsRow(value = 85, level = Level.SPRING)
	void callsAreAnsweredInPlaceOfTheMethodIfAnotherHoldsTheLock() {
		occupyAll();
		this.desk.skip();
		this.desk.fallBack();
		this.desk.handle();
		assertThat(this.desk.heard()).containsExactly("fell back", "handled");
	}

	@Test
	void theExceptionSaysWhatTheServerHas() {
		occupyAll();
		StoredHolder stored = this.app.other().holder("plain").orElseThrow();
		int before = this.app.harness().proxy().replies("findAndModify");
		LockUnavailableException ex = catchThrowableOfType(LockUnavailableException.class, this.desk::run);
		LockHolder holder = ex.getHolders().get(0);
		assertThat(holder.owner()).isEqualTo(stored.owner());
		assertThat(holder.fence()).isEqualTo(stored.fence());
		assertThat(holder.acquiredAt()).isEqualTo(stored.acquiredAt());
		assertThat(holder.until()).isEqualTo(stored.renewedAt().plus(stored.ttl()));
		assertThat(ex.getWaited()).isGreaterThanOrEqualTo(Duration.ofMillis(200));
		assertThat(ex.getClaims()).isPositive().isEqualTo(this.app.harness().proxy().replies("findAndModify") - before);
		assertThat(ex).hasMessageContaining("since " + stored.acquiredAt())
			.hasMessageContaining("the lease ends at " + holder.until())
			.hasMessageContaining(" and " + ex.getClaims() + " claim");
	}

	private void occupyAll() {
		List.of("skipped", "fallen", "handled", "plain").forEach(this.app.other()::occupy);
	}

	static class Desks {

		@Bean
		Desk desk() {
			return new Desk();
		}

		@Bean
		LockUnavailableHandler busy(Desk desk) {
			return (call, ex) -> desk.heard().add("handled");
		}

	}

	static class Desk {

		private final List<String> heard = new CopyOnWriteArrayList<>();

		List<String> heard() {
			return this.heard;
		}

		@DistributedLock("plain")
		void run() {
			this.heard.add("ran");
		}

		@DistributedLock(name = "skipped", onUnavailable = OnUnavailable.SKIP)
		void skip() {
			this.heard.add("ran");
		}

		@DistributedLock(name = "fallen", fallback = "instead")
		void fallBack() {
			this.heard.add("ran");
		}

		private void instead() {
			this.heard.add("fell back");
		}

		@DistributedLock(name = "handled", unavailableHandler = "busy")
		void handle() {
			this.heard.add("ran");
		}

	}

}
