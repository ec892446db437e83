package io.mongolock.sample.orders;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

import io.mongolock.LockHolder;
import io.mongolock.LockOwner;
import io.mongolock.sample.orders.server.MongoServer;
import io.mongolock.store.LockStore;

/**
 * What an operator wants to see and do.
 */
@RestController
class OperationsController {

	private static final Duration PATIENCE = Duration.ofSeconds(2);

	private static final int MOST = 100;

	private final LockStore locks;

	private final SettlementService settlement;

	private final SettlementRepository settlements;

	private final LockOwner self;

	private final MongoServer server;

	private final ServerWatch watch;

	OperationsController(LockStore locks, SettlementService settlement, SettlementRepository settlements,
			LockOwner self, MongoServer server, ServerWatch watch) {
		this.locks = locks;
		this.settlement = settlement;
		this.settlements = settlements;
		this.self = self;
		this.server = server;
		this.watch = watch;
	}

	@GetMapping("/instance")
	Instance instance() {
		return new Instance(this.self.instance(), this.self.host(), this.self.pid(), this.server.toString(),
				this.server.isInMemory(), this.watch.isAway());
	}

	@GetMapping("/locks")
	List<HeldLock> locks() {
		return this.locks.list(MOST, PATIENCE)
			.stream()
			.flatMap((lock) -> held(lock.key(), lock.liveHolders()))
			.toList();
	}

	@GetMapping("/settlements")
	List<Settlement> settlements() {
		return this.settlements.findTop5ByOrderByStartedAtDesc();
	}

	@PostMapping("/settlements")
	Settlement settle() {
		return this.settlement.settle()
			.orElseThrow(() -> new ResponseStatusException(HttpStatus.CONFLICT,
					"Skipped: an instance is running the settlement already"));
	}

	private static Stream<HeldLock> held(String key, List<LockHolder> holders) {
		return holders.stream().map((holder) -> HeldLock.of(key, holder));
	}

	/**
	 * This instance.
	 *
	 * @param id as in the locks it holds
	 * @param host where it runs
	 * @param pid its process
	 * @param server the MongoDB server
	 * @param inMemory whether that server is known to keep its data in memory only
	 * @param away whether the server does not answer
	 */
	record Instance(String id, String host, long pid, String server, boolean inMemory, boolean away) {

	}

}
