package io.mongolock.sample.orders;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.webmvc.test.autoconfigure.AutoConfigureMockMvc;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.assertj.MockMvcTester;

import io.mongolock.LockHandle;
import io.mongolock.LockOperations;
import io.mongolock.LockRequest;
import io.mongolock.test.faults.EnableLockFaults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What an operator of the application sees and does over the actuator.
 */
@Tag("application")
// As OrderServiceApplicationTests, which so shares its context
@SpringBootTest(properties = { "orders.embedded-port=0", "orders.settlement-time=10ms",
		"mongo-lock.locks.order.wait-timeout=2s" })
@AutoConfigureMockMvc
@EnableLockFaults
class OperatorTests {

	@Autowired
	private MockMvcTester mvc;

	@Autowired
	private LockOperations locks;

	@Test
	void theLocksThatAreHeldAreShownWithTheirHolders() {
		try (LockHandle held = this.locks.acquire(LockRequest.of("operator:a/b"))) {
			assertThat(this.mvc.get().uri("/actuator/mongolocks?prefix=operator:")).hasStatusOk()
				.bodyJson()
				.satisfies((json) -> json.assertThat().extractingPath("$.locks[0].key").isEqualTo("operator:a/b"))
				.satisfies((json) -> json.assertThat()
					.extractingPath("$.locks[0].holders[0].fence")
					.isEqualTo(held.fence()))
				.extractingPath("$.locks[0].holders[0].owner")
				.asString()
				.contains("order-service");
			assertThat(this.mvc.get().uri("/actuator/mongolocks/operator:a/b")).hasStatusOk()
				.bodyJson()
				.extractingPath("$.holders.length()")
				.isEqualTo(1);
		}
		assertThat(this.mvc.get().uri("/actuator/mongolocks/operator:nobody")).hasStatus(HttpStatus.NOT_FOUND);
	}

	@Test
	void aLockReleasedByForceIsFreeAndItsHolderNotified() {
		LockHandle held = this.locks.acquire(LockRequest.of("operator:stuck"));
		assertThat(this.mvc.delete().uri("/actuator/mongolocks/operator:stuck")).hasStatusOk()
			.bodyJson()
			.extractingPath("$.released")
			.isEqualTo(1);
		assertThatExceptionOfType(RuntimeException.class).isThrownBy(() -> {
			held.renew();
			held.assertHeld();
		});
		assertThat(this.mvc.get().uri("/actuator/mongolocks/operator:stuck")).hasStatusOk()
			.bodyJson()
			.extractingPath("$.holders.length()")
			.isEqualTo(0);
	}

	@Test
	void aReleaseByForceThatNamesAFenceLeavesTheLockToOthers() {
		LockHandle held = this.locks.acquire(LockRequest.of("operator:next"));
		long other = held.fence() - 1;
		assertThat(this.mvc.delete().uri("/actuator/mongolocks?key=operator:next&fence=" + other)).hasStatusOk()
			.bodyJson()
			.extractingPath("$.released")
			.isEqualTo(0);
		held.renew();
		assertThat(this.mvc.delete().uri("/actuator/mongolocks/operator:next?fence=" + held.fence())).hasStatusOk()
			.bodyJson()
			.extractingPath("$.released")
			.isEqualTo(1);
		assertThat(held.isHeld()).isFalse();
	}

	@Test
	void aRequestWithoutAReasonOrWithAKeyThatNoLockHasIsAnsweredAsABadRequest() {
		assertThat(this.mvc.post()
			.uri("/actuator/mongolocks/operator:any")
			.contentType(MediaType.APPLICATION_JSON)
			.content("{\"reason\": \" \"}")).hasStatus(HttpStatus.BAD_REQUEST);
		assertThat(this.mvc.get().uri("/actuator/mongolocks/" + "k".repeat(1025))).hasStatus(HttpStatus.BAD_REQUEST);
	}

	@Test
	void aBadRequestIsAnsweredWithWhatIsWrong() {
		for (String address : new String[] { "?key=", "?limit=0", "?heldFor=5000", "?heldFor=-1s", "/a?key=b" }) {
			assertThat(this.mvc.get().uri("/actuator/mongolocks" + address)).as(address)
				.hasStatus(HttpStatus.BAD_REQUEST)
				.bodyJson()
				.extractingPath("$.error")
				.asString()
				.isNotBlank();
		}
		assertThat(this.mvc.delete().uri("/actuator/mongolocks")).hasStatus(HttpStatus.BAD_REQUEST)
			.bodyJson()
			.extractingPath("$.error")
			.asString()
			.contains("The request names no lock");
		for (String address : new String[] { "", "/a" }) {
			assertThat(this.mvc.post()
				.uri("/actuator/mongolocks" + address)
				.contentType(MediaType.APPLICATION_JSON)
				.content("{}")).as(address)
				.hasStatus(HttpStatus.BAD_REQUEST)
				.bodyJson()
				.extractingPath("$.error")
				.asString()
				.contains((address.isEmpty()) ? "The request names no lock"
						: "The reason to release lock 'a' must have 1 to ");
		}
	}

	@Test
	void anAddressThatNamesAKeyBothWaysIsABadRequest() {
		try (LockHandle held = this.locks.acquire(LockRequest.of("operator:other"))) {
			assertThat(this.mvc.delete().uri("/actuator/mongolocks/operator:mine?key=operator:other"))
				.hasStatus(HttpStatus.BAD_REQUEST);
			held.renew();
			assertThat(held.isHeld()).isTrue();
		}
	}

	@Test
	void thePageOverTheLocksIsServed() {
		assertThat(this.mvc.get().uri("/actuator/mongolocksdashboard").accept(MediaType.TEXT_HTML)).hasStatusOk()
			.bodyText()
			.contains("data-locks=\"./mongolocks\"", "data-release=\"true\"");
	}

	@Test
	void theInfoSaysWhereTheLocksAre() {
		assertThat(this.mvc.get().uri("/actuator/info")).hasStatusOk()
			.bodyJson()
			.satisfies(
					(json) -> json.assertThat().extractingPath("$.mongoLock.collection").asString().endsWith(".locks"))
			.extractingPath("$.mongoLock.settings.ttl")
			.isEqualTo("30s");
	}

	@Test
	void theHealthOfTheLocksIsShown() {
		assertThat(this.mvc.get().uri("/actuator/health/mongoLock")).hasStatusOk()
			.bodyJson()
			.extractingPath("$.status")
			.isEqualTo("UP");
	}

}
