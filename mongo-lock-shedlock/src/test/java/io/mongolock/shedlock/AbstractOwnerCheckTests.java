package io.mongolock.shedlock;

import java.time.Duration;
import java.util.function.Supplier;

import net.javacrumbs.shedlock.core.ExtensibleLockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What ours promise beyond ShedLock's own provider, which releases by the name and
 * extends by the host.
 */
abstract class AbstractOwnerCheckTests extends AbstractLockProviderContractTests {

	AbstractOwnerCheckTests(Supplier<ExtensibleLockProvider> provider, Duration moment) {
		super(provider, moment);
	}

	@Test
	void aLateUnlockFreesNoLockOfTheNextOne() {
		SimpleLock late = Providers.lockBriefly(this.provider, "k", this.moment);
		SimpleLock next = Providers.awaitLock(this.other, "k");
		late.unlock();
		assertThat(Providers.lock(this.provider, "k", Providers.LONG, Duration.ZERO)).isEmpty();
		next.unlock();
	}

	@Test
	void aLateUnlockOfAnExtendedLockFreesNoLockOfTheNextOne() {
		SimpleLock late = Providers.lock(this.provider, "k", Providers.LONG, Duration.ZERO)
			.orElseThrow()
			.extend(this.moment, Duration.ZERO)
			.orElseThrow();
		SimpleLock next = Providers.awaitLock(this.other, "k");
		late.unlock();
		assertThat(Providers.lock(this.provider, "k", Providers.LONG, Duration.ZERO)).isEmpty();
		next.unlock();
	}

	@Test
	void aLateExtensionTakesNoLockOfTheNextOne() {
		SimpleLock late = Providers.lockBriefly(this.provider, "k", this.moment);
		SimpleLock later = Providers.lock(this.provider, "m", Providers.LONG, Duration.ZERO)
			.orElseThrow()
			.extend(this.moment, Duration.ZERO)
			.orElseThrow();
		SimpleLock next = Providers.awaitLock(this.other, "k");
		SimpleLock nextLater = Providers.awaitLock(this.other, "m");
		assertThat(late.extend(Providers.LONG, Duration.ZERO)).isEmpty();
		assertThat(later.extend(Providers.LONG, Duration.ZERO)).isEmpty();
		next.unlock();
		nextLater.unlock();
	}

	@Test
	void aLockWhoseExtensionIsRefusedIsStillUnlockedWithoutAFailure() {
		SimpleLock granted = Providers.lockBriefly(this.provider, "k", this.moment);
		SimpleLock extended = Providers.lock(this.provider, "m", Providers.LONG, Duration.ZERO)
			.orElseThrow()
			.extend(this.moment, Duration.ZERO)
			.orElseThrow();
		SimpleLock next = Providers.awaitLock(this.other, "k");
		Providers.awaitLock(this.other, "m").unlock();
		assertThat(granted.extend(Providers.LONG, Duration.ZERO)).isEmpty();
		assertThat(extended.extend(Providers.LONG, Duration.ZERO)).isEmpty();
		granted.unlock();
		extended.unlock();
		assertThat(Providers.lock(this.provider, "k", Providers.LONG, Duration.ZERO)).isEmpty();
		next.unlock();
	}

}
