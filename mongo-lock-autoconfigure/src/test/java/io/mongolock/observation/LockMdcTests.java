package io.mongolock.observation;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.mockito.BDDMockito;
import org.mockito.Mockito;
import org.slf4j.MDC;

import io.mongolock.LockHandle;
import io.mongolock.event.LockInstrumentation.Scope;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LockMdc}.
 */
class LockMdcTests {

	private final LockMdc mdc = new LockMdc();

	@AfterEach
	void clear() {
		MDC.clear();
	}

	@Test
	void theInnermostLockIsShownAndTheOuterOneAfterIt() {
		Scope outer = this.mdc.working(handle("order:1", 5));
		assertShown("order:1", "5");
		Scope inner = this.mdc.working(handle("stock:2", 9));
		assertShown("stock:2", "9");
		inner.close();
		assertShown("order:1", "5");
		outer.close();
		assertShown(null, null);
	}

	@Test
	void theApplicationsOwnValuesAreRestored() {
		MDC.put("lock.key", "mine");
		this.mdc.working(handle("order:1", 5)).close();
		assertShown("mine", null);
	}

	@Test
	void aKeyCannotBeginALineOfTheLog() {
		this.mdc.working(handle("a\nb", 5));
		assertThat(MDC.get("lock.key")).doesNotContain("\n");
	}

	private static void assertShown(String key, String fence) {
		assertThat(MDC.get("lock.key")).isEqualTo(key);
		assertThat(MDC.get("lock.fence")).isEqualTo(fence);
	}

	private static LockHandle handle(String key, long fence) {
		LockHandle handle = Mockito.mock(LockHandle.class);
		BDDMockito.given(handle.key()).willReturn(key);
		BDDMockito.given(handle.fence()).willReturn(fence);
		return handle;
	}

}
