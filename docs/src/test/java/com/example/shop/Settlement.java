package com.example.shop;

import java.time.LocalTime;

import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

import io.mongolock.LockContext;
import io.mongolock.LockHandle;
import io.mongolock.OnUnavailable;
import io.mongolock.annotation.DistributedLock;

@Component
public class Settlement {

	@Scheduled(cron = "*/10 * * * * *")
	@DistributedLock(name = "settlement", onUnavailable = OnUnavailable.SKIP)
	public void settle() throws InterruptedException {
		LockHandle lock = LockContext.current();
		for (int part = 1; part <= 3; part++) {
			lock.assertHeld();
			System.out.println(LocalTime.now() + " settles part " + part + " under fence " + lock.fence());
			Thread.sleep(1000);
		}
	}

}
