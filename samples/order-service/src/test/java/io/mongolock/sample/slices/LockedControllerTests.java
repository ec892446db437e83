package io.mongolock.sample.slices;

import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.ContextConfiguration;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

import io.mongolock.annotation.DistributedLock;
import io.mongolock.test.LockAssertions;
import io.mongolock.test.autoconfigure.AutoConfigureMongoLockTest;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A slice without MongoDB whose controller runs under a lock.
 */
@WebMvcTest
@AutoConfigureMongoLockTest
@ContextConfiguration(classes = LockedControllerTests.Web.class)
class LockedControllerTests {

	@Autowired
	private MockMvcTester mvc;

	@Autowired
	private LockAssertions locks;

	@Test
	void aControllerRunsUnderItsLock() {
		this.locks.assertThatLock("shipment:42")
			.isTakenBy(() -> assertThat(this.mvc.post().uri("/shipments/42")).hasStatusOk().hasBodyTextEqualTo("42"))
			.isFree();
	}

	@SpringBootConfiguration(proxyBeanMethods = false)
	@Import(Shipments.class)
	static class Web {

	}

	@RestController
	static class Shipments {

		@PostMapping("/shipments/{id}")
		@DistributedLock(name = "shipment", key = "#id")
		String ship(@PathVariable String id) {
			return id;
		}

	}

}
