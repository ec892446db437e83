package io.mongolock.faults.spring;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import io.mongolock.LockLostException;
import io.mongolock.faults.matrix.Level;
import io.mongolock.faults.matrix.RowFigures;
import io.mongolock.faults.matrix.ShowsRow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * Locks around and inside of transactions of a relational database, in two instances of
 * an application.
 */
class JdbcTransactionTests {

	private static final Duration TTL = Duration.ofSeconds(6);

	private static final Duration LONG_ENOUGH = Duration.ofSeconds(60);

	private static final int THREADS = 2;

	private static final int SECTIONS = 8;

	private static TestServer server;

	private static OtherClient other;

	private static List<ConfigurableApplicationContext> instances;

	@BeforeAll
	static void start() {
		server = TestServer.start();
		other = server.otherClient();
		String url = "spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";
		String ttl = "mongo-lock.ttl=" + TTL.toMillis() + "ms";
		instances = List.of(server.run(JdbcApplication.class, url, ttl, "mongo-lock.wait-timeout=60s"),
				server.run(JdbcApplication.class, url, ttl, "mongo-lock.wait-timeout=60s"));
	}

	@AfterAll
	static void stop() {
		instances.forEach(ConfigurableApplicationContext::close);
		other.close();
		server.close();
	}

	@BeforeEach
	void reset() {
		ledger(0).reset();
		losses().keys().clear();
	}

	@ParameterizedTest
	@EnumSource
	@ShowsRow(value = 33, level = Level.B)
	void theNextHolderReadsWhatWasCommitted(Way way, RowFigures figures) throws Exception {
		List<Callable<Void>> workers = new ArrayList<>();
		for (int worker = 0; worker < 2 * THREADS; worker++) {
			int instance = worker % 2;
			workers.add(() -> {
				for (int section = 0; section < SECTIONS; section++) {
					way.run(ledger(instance), transaction(instance), ledger(instance)::increment);
				}
				return null;
			});
		}
		runAll(workers);
		int sections = 2 * THREADS * SECTIONS;
		int early = sections - ledger(0).amount();
		figures.server(server.label()).add("sections", sections).add("reads before commit", early);
		assertThat(early).isZero();
	}

	@ParameterizedTest
	@CsvSource({ "OWN_TRANSACTION,true", "OWN_TRANSACTION,false", "CALLERS_TRANSACTION,true",
			"CALLERS_TRANSACTION,false", "CALLERS_TRANSACTION_JOINED,true", "CALLERS_TRANSACTION_JOINED,false",
			"REQUIRES_NEW,true", "REQUIRES_NEW,false", "NESTED,true", "NESTED,false" })
	@ShowsRow(value = 33, level = Level.B)
	void theLockIsHeldUntilTheTransactionHasEnded(Way way, boolean commits, RowFigures figures) {
		figures.server(server.label());
		Probe probe = new Probe();
		Consumer<Runnable> outer = (call) -> transaction(0).accept(() -> {
			TransactionSynchronizationManager.registerSynchronization(probe);
			call.run();
		});
		Runnable work = () -> {
			TransactionSynchronizationManager.registerSynchronization(probe);
			ledger(0).increment();
			if (!commits) {
				throw new IllegalStateException("on purpose");
			}
		};
		if (commits) {
			way.run(ledger(0), outer, work);
		}
		else {
			assertThatIllegalStateException().isThrownBy(() -> way.run(ledger(0), outer, work))
				.withMessage("on purpose");
		}
		assertThat(probe.free).isNotEmpty().containsOnly(false);
		assertThat(other.isFree(Ledger.KEY)).isTrue();
		assertThat(ledger(0).amount()).isEqualTo((commits) ? 1 : 0);
	}

	@Test
	@ShowsRow(value = 33, level = Level.B)
	void aSavepointThatIsRolledBackKeepsTheLockToTheEnd(RowFigures figures) {
		figures.server(server.label());
		transaction(0).accept(() -> {
			assertThatIllegalStateException().isThrownBy(() -> ledger(0).inNestedTransaction(() -> {
				ledger(0).increment();
				throw new IllegalStateException("on purpose");
			}));
			assertThat(other.isFree(Ledger.KEY)).isFalse();
		});
		assertThat(other.isFree(Ledger.KEY)).isTrue();
		assertThat(ledger(0).amount()).isZero();
	}

	@ParameterizedTest
	@EnumSource
	@ShowsRow(value = 33, level = Level.B)
	void anUnknownEndLeavesTheLockToItsLease(Way way, RowFigures figures) {
		ForgetfulDataSource database = instances.get(0).getBean(ForgetfulDataSource.class);
		long start = System.nanoTime();
		database.setForgetful(true);
		try {
			assertThatException().isThrownBy(() -> way.run(ledger(0), transaction(0), () -> ledger(0).increment()));
		}
		finally {
			database.setForgetful(false);
		}
		assertThat(other.isFree(Ledger.KEY)).isFalse();
		await().atMost(LONG_ENOUGH).until(() -> other.isFree(Ledger.KEY));
		Duration held = Duration.ofNanos(System.nanoTime() - start);
		figures.server(server.label()).add("ttl", TTL.toMillis() + "ms").add("free after", held.toMillis() + "ms");
		assertThat(held).isGreaterThanOrEqualTo(TTL);
	}

	@ParameterizedTest
	@EnumSource
	@ShowsRow(value = 34, level = Level.B)
	void aLossInsideTheMethodRefusesTheCommit(Way way, RowFigures figures) {
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> way.run(ledger(0), transaction(0), () -> {
			ledger(0).increment();
			lose();
		}));
		figures.server(server.label()).add("committed after loss", ledger(0).amount());
		assertThat(ledger(0).amount()).isZero();
	}

	@ParameterizedTest
	@EnumSource(names = "OWN_TRANSACTION", mode = EnumSource.Mode.EXCLUDE)
	@ShowsRow(value = 34, level = Level.B)
	void aLossAfterTheMethodRefusesTheCallersCommit(Way way, RowFigures figures) {
		Consumer<Runnable> losing = (call) -> transaction(0).accept(() -> {
			call.run();
			lose();
		});
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> way.run(ledger(0), losing, ledger(0)::increment));
		// what REQUIRES_NEW has committed by then was written under the lock
		int expected = (way != Way.REQUIRES_NEW) ? 0 : 1;
		figures.server(server.label()).add("committed after loss", ledger(0).amount() - expected);
		assertThat(ledger(0).amount()).isEqualTo(expected);
	}

	private static void lose() {
		other.forget(Ledger.KEY);
		await().atMost(LONG_ENOUGH).until(() -> losses().keys().contains(Ledger.KEY));
	}

	private static void runAll(List<Callable<Void>> workers) throws Exception {
		ExecutorService threads = Executors.newFixedThreadPool(workers.size());
		try {
			for (Future<Void> ended : threads.invokeAll(workers)) {
				ended.get();
			}
		}
		finally {
			threads.shutdownNow();
		}
	}

	private static Ledger ledger(int instance) {
		return instances.get(instance).getBean(Ledger.class);
	}

	private static JdbcApplication.Losses losses() {
		return instances.get(0).getBean(JdbcApplication.Losses.class);
	}

	private static Consumer<Runnable> transaction(int instance) {
		TransactionTemplate template = new TransactionTemplate(
				instances.get(instance).getBean(PlatformTransactionManager.class));
		return (work) -> template.executeWithoutResult((status) -> work.run());
	}

	/**
	 * Asks another instance whether the lock is free, before and after a commit.
	 */
	private static final class Probe implements TransactionSynchronization {

		private final List<Boolean> free = Collections.synchronizedList(new ArrayList<>());

		@Override
		public void beforeCompletion() {
			this.free.add(other.isFree(Ledger.KEY));
		}

		@Override
		public void afterCommit() {
			this.free.add(other.isFree(Ledger.KEY));
		}

	}

}
