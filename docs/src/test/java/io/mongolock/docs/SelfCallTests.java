package io.mongolock.docs;

import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.ApplicationContext;

import io.mongolock.test.SelfCalls;
import io.mongolock.test.autoconfigure.AutoConfigureMongoLockTest;

/**
 * The test for calls past the proxy that docs/testing.md shows.
 */
@SpringBootTest(classes = PaymentTests.App.class)
@AutoConfigureMongoLockTest
class SelfCallTests {

	@Test
	void noMethodIsCalledPastItsLock(@Autowired ApplicationContext context) {
		SelfCalls.assertNone(context);
	}

}
