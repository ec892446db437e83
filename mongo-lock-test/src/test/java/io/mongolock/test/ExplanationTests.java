package io.mongolock.test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.mongolock.LockClock;
import io.mongolock.LockExplanation;
import io.mongolock.LockHandle;
import io.mongolock.LockHolder;
import io.mongolock.LockOwner;
import io.mongolock.LockRequest;
import io.mongolock.LockUnavailableException;
import io.mongolock.client.ClientOptions;
import io.mongolock.client.LockTemplate;
import io.mongolock.core.ConfiguredSettings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link LockExplanation}: why one would wait.
 */
@Timeout(60)
class ExplanationTests {

	private static final LockRequest LONG = LockRequest.builder("k").waitTimeout(Duration.ofMinutes(10)).build();

	private final InMemoryLockStore store = new InMemoryLockStore();

	private final List<LockTemplate> clients = new ArrayList<>();

	private final LockTemplate client = client();

	@AfterEach
	void stop() {
		this.clients.forEach((client) -> client.stop(Duration.ofSeconds(1)));
	}

	@Test
	void whenNobodyAskedOrTheHolderIsDoneThenTheLockIsFree() {
		assertThat(this.client.explain("k")).hasToString("Lock 'k' is free")
			.isEqualTo(new LockExplanation("k", List.of(), List.of(), 0, "Lock 'k' is free"));
		this.client.acquire(LockRequest.of("k")).close();
		assertThat(this.client.explain("k")).hasToString("Lock 'k' is free");
	}

	@Test
	void whenOthersHoldItAndWaitThenAllOfThemAreNamed() {
		LockHandle held = client().acquire(LockRequest.of("k"));
		CompletableFuture<LockHandle> first = client().acquireAsync(LONG);
		Awaitility.await().until(() -> this.client.explain("k").waiting().size() == 1);
		assertThat(this.client.explain("k").toString()).contains(". The waiter in its queue is app 3 (");
		List<CompletableFuture<LockHandle>> own = List.of(this.client.acquireAsync(LONG),
				this.client.acquireAsync(LONG));
		Awaitility.await().until(() -> this.client.explain("k").waiting().size() == 2);
		LockExplanation why = this.client.explain("k");
		assertThat(why.holders()).singleElement().satisfies((holder) -> {
			assertThat(holder.owner().instance()).isEqualTo("2");
			assertThat(holder.fence()).isEqualTo(held.fence());
		});
		assertThat(why.waiting()).extracting(LockOwner::instance).containsExactly("3", "1");
		assertThat(why.waitingHere()).isEqualTo(2);
		assertThat(why.toString()).startsWith("Lock 'k' is held by app 2 (host host, pid 42, thread ")
			.contains(" since ", ". The waiters in its queue are app 3 (", ", app 1 (")
			.endsWith(". The number of waiting attempts in this application is 2");
		own.forEach((waiting) -> waiting.cancel(true));
		first.cancel(true);
	}

	@Test
	void whenManyInstancesWaitThenThreeAreNamedAndTheOthersCounted() {
		client().acquire(LockRequest.of("k"));
		for (int i = 0; i < 5; i++) {
			client().acquireAsync(LONG);
		}
		Awaitility.await().until(() -> this.client.explain("k").waiting().size() == 5);
		assertThat(this.client.explain("k").toString()).endsWith(") and 2 more");
	}

	@Test
	void whenTheHolderSaysWhatItDoesThenOthersReadItAfterItsNextRenewal() {
		LockHandle held = client().acquire(LockRequest.of("k"));
		held.note("charging\ncard");
		awaitNote("charging\\u000Acard");
		assertThat(this.client.explain("k").toString()).contains(", note 'charging\\u000Acard'; the lease ends at ");
		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> this.client.acquire(LockRequest.builder("k").waitTimeout(Duration.ZERO).build()))
			.withMessageContaining(", note 'charging\\u000Acard'; the lease ends at ");
		held.note("x".repeat(LockHolder.MAX_NOTE - 1) + "\uD83D\uDE00");
		awaitNote("x".repeat(LockHolder.MAX_NOTE - 1));
		held.note("");
		awaitNote("");
	}

	private void awaitNote(String note) {
		Awaitility.await().until(() -> this.client.explain("k").holders().get(0).note().equals(note));
	}

	@Test
	void whenTheClientHasStoppedThenItExplainsNothing() {
		this.client.explain("k");
		this.client.stop(Duration.ofSeconds(1));
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> this.client.explain("k"));
	}

	private LockTemplate client() {
		LockTemplate client = new LockTemplate(this.store, new ClientOptions(ConfiguredSettings.NONE,
				new LockOwner("app", "" + (this.clients.size() + 1), "host", 42, ""), LockClock.system(), List.of()));
		this.clients.add(client);
		return client;
	}

}
