package io.mongolock.leader;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.availability.AvailabilityChangeEvent;
import org.springframework.boot.availability.ReadinessState;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.event.EventListener;

import io.mongolock.spi.LockStartupException;

/**
 * The elections of this application. Thread-safe.
 */
final class LeaderElections implements SmartInitializingSingleton {

	private static final Log logger = LogFactory.getLog(LeaderElections.class);

	private final ObjectProvider<LeaderElection> elections;

	private final BooleanSupplier onlyWhenReady;

	private final boolean becomesReady;

	private final ApplicationContext context;

	private volatile boolean waiting;

	/**
	 * Create the elections.
	 * @param onlyWhenReady whether the instance stands for no role while it refuses
	 * traffic
	 * @param becomesReady whether the instance refuses traffic until an event says that
	 * it accepts traffic
	 * @param context the context whose readiness counts
	 */
	LeaderElections(ObjectProvider<LeaderElection> elections, BooleanSupplier onlyWhenReady, boolean becomesReady,
			ApplicationContext context) {
		this.elections = elections;
		this.onlyWhenReady = onlyWhenReady;
		this.becomesReady = becomesReady;
		this.context = context;
	}

	@Override
	public void afterSingletonsInstantiated() {
		if (this.becomesReady && this.onlyWhenReady.getAsBoolean()) {
			all().forEach((election) -> election.ready(false));
			this.waiting = !all().isEmpty();
			if (this.waiting) {
				CompletableFuture.delayedExecutor(1, TimeUnit.MINUTES).execute(this::warnIfWaiting);
			}
		}
	}

	void warnIfWaiting() {
		if (this.waiting && this.context instanceof ConfigurableApplicationContext own && own.isActive()) {
			logger.warn("This instance cannot lead, because it has not accepted traffic in the minute since its start. "
					+ "An ApplicationRunner or CommandLineRunner may not have returned yet. To let this instance lead "
					+ "anyway, set mongo-lock.leader.only-when-ready=false");
		}
	}

	private boolean isOfChild(AvailabilityChangeEvent<?> event) {
		ApplicationContext of = (event.getSource() instanceof ApplicationContext source) ? source.getParent() : null;
		while (of != null && of != this.context) {
			of = of.getParent();
		}
		return of != null;
	}

	// The readiness of a child context does not count
	@EventListener
	void on(AvailabilityChangeEvent<ReadinessState> event) {
		if (isOfChild(event)) {
			return;
		}
		this.waiting = false;
		boolean ready = event.getState() == ReadinessState.ACCEPTING_TRAFFIC || !this.onlyWhenReady.getAsBoolean();
		all().forEach((election) -> election.ready(ready));
	}

	List<LeaderElection> all() {
		return this.elections.orderedStream().toList();
	}

	/**
	 * The election of a role.
	 * @throws LockStartupException if there is not exactly one election of the role
	 */
	LeaderElection of(String role) {
		List<LeaderElection> ofRole = all().stream().filter((each) -> each.role().equals(role)).toList();
		if (ofRole.size() != 1) {
			throw new LockStartupException(
					"There are " + ofRole.size() + " LeaderElection beans of the role '" + role
							+ "', but @LeaderOnly needs exactly one for this role. "
							+ ((all().isEmpty()) ? "There are no other LeaderElection beans."
									: "The existing beans have the roles '" + all().stream()
										.map(LeaderElection::role)
										.collect(Collectors.joining("', '")) + "'."),
					"Declare one bean of that role, such as new LeaderElection(\"" + role
							+ "\", locks, events), or let @LeaderOnly name the role of another bean.");
		}
		return ofRole.get(0);
	}

}
