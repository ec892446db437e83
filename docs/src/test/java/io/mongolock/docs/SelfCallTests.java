package io.mongolock.docs;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.ApplicationContext;

import io.mongolock.test.LockOrder;
import io.mongolock.test.SelfCalls;
import io.mongolock.test.autoconfigure.AutoConfigureMongoLockTest;

/**
 * The tests for calls past the proxy and for the order of locks that docs/testing.md
 * shows.
 */
@SpringBootTest(classes = PaymentTests.App.class)
@AutoConfigureMongoLockTest
class SelfCallTests {

	@Test
	void noMethodIsCalledPastItsLock(@Autowired ApplicationContext context) {
		SelfCalls.assertNone(context);
	}

	@AfterAll
	static void locksAreTakenInOneOrder(@Autowired ApplicationContext context) {
		LockOrder.assertConsistent(context);
	}

}
