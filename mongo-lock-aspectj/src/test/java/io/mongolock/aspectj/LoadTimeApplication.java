package io.mongolock.aspectj;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;

import io.mongolock.LockOperations;
import io.mongolock.autoconfigure.MongoLockAutoConfiguration;
import io.mongolock.interceptor.LockedMethodContract.Service;

/**
 * Calls a method of an object that is no bean, and one of a bean, and says what they were
 * locked by.
 */
public final class LoadTimeApplication {

	private LoadTimeApplication() {
	}

	public static void main(String[] args) {
		CountingLockOperations locks = new CountingLockOperations();
		try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
			context.registerBean(LockOperations.class, () -> locks);
			context.registerBean(Service.class);
			context.register(MongoLockAutoConfiguration.class, LockAspectAutoConfiguration.class);
			context.refresh();
			try {
				new Service().pay(42);
			}
			catch (IllegalStateException ex) {
				System.out.println("not locked: " + ex.getMessage());
			}
			System.out.print(locks.events() + " " + locks.asked() + " ");
			context.getBean(Service.class).plain();
			System.out.println(locks.asked());
		}
	}

}
