package io.mongolock.shedlock;

import net.javacrumbs.shedlock.core.LockAssert;
import net.javacrumbs.shedlock.spring.annotation.EnableSchedulerLock;
import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.Scheduled;

/**
 * The Java of docs/shedlock.md, which the tests run.
 */
@Configuration(proxyBeanMethods = false)
@EnableSchedulerLock(defaultLockAtMostFor = "10m")
public class ShedLockSnippets {

	private final Payments payments;

	public ShedLockSnippets(Payments payments) {
		this.payments = payments;
	}

	@Scheduled(cron = "0 0 3 * * *")
	@SchedulerLock(name = "settlement", lockAtMostFor = "10m", lockAtLeastFor = "1m")
	public void settle() {
		LockAssert.assertLocked();
		this.payments.settleAll();
	}

	/** What a job works on. */
	public interface Payments {

		void settleAll();

	}

}
