package io.mongolock.everyday;

import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.ObservationView;
import io.micrometer.observation.contextpropagation.ObservationThreadLocalAccessor;
import org.slf4j.MDC;
import org.springframework.context.i18n.LocaleContextHolder;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;
import reactor.util.context.ContextView;

import io.mongolock.LockContext;
import io.mongolock.LockHandle;

/**
 * Counts what must not happen, for all instances of a test: it is a bean of each.
 */
class Ledger implements ObservationHandler<Observation.Context> {

	/** What the thread of the caller carries in its own way. */
	static final ThreadLocal<String> TENANT = new ThreadLocal<>();

	static final String LOCK = "order";

	private static final String WORK = "work";

	private static final Set<String> BEGINS = Set.of("http.server.requests", "tasks.scheduled.execution");

	final Queue<String> lost = new ConcurrentLinkedQueue<>();

	final Queue<String> torn = new ConcurrentLinkedQueue<>();

	final Queue<String> unlocked = new ConcurrentLinkedQueue<>();

	final Map<String, Integer> calls = new ConcurrentHashMap<>();

	private final AtomicInteger inside = new AtomicInteger();

	/**
	 * Work begins on this thread.
	 * @param user for whom; {@code null} for nobody
	 */
	void begin(String way, String user, ObservationRegistry registry) {
		Optional<LockHandle> lock = LockContext.find((handle) -> handle.key().equals(LOCK));
		begin(way, lock.isPresent() && lock.get().isHeld());
		carried(way, user);
		Observation.start(WORK, registry).stop();
	}

	/**
	 * Work begins in a reactive application.
	 */
	void begin(String way, String user, ContextView context, ObservationRegistry registry) {
		LockHandle lock = context.getOrDefault(LockHandle.class, null);
		begin(way, lock != null && lock.key().equals(LOCK) && lock.isHeld());
		expect(way, "tenant", user, context.getOrDefault("tenant", null));
		Observation.createNotStarted(WORK, registry)
			.parentObservation(context.getOrDefault(ObservationThreadLocalAccessor.KEY, null))
			.start()
			.stop();
	}

	private void begin(String way, boolean locked) {
		this.calls.merge(way, 1, Integer::sum);
		if (this.inside.incrementAndGet() != 1 || !locked) {
			this.unlocked.add(way);
		}
	}

	void end() {
		this.inside.decrementAndGet();
	}

	/**
	 * Whatever runs here has to have what the thread of its caller carries.
	 */
	void carried(String way, String user) {
		Authentication authentication = SecurityContextHolder.getContext().getAuthentication();
		expect(way, "logged in", user, (authentication != null) ? authentication.getName() : null);
		expect(way, "MDC", user, MDC.get("user"));
		expect(way, "tenant", user, TENANT.get());
		// The executor of @Async takes neither along
		if (!way.equals("async")) {
			expect(way, "locale", user, (LocaleContextHolder.getLocaleContext() != null)
					? LocaleContextHolder.getLocale().getVariant() : null);
			expect(way, "request", user,
					(RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes attributes)
							? attributes.getRequest().getHeader("X-User") : null);
		}
	}

	private void expect(String way, String what, String expected, Object carried) {
		if (!Objects.equals(expected, carried)) {
			this.lost.add(way + ": " + what + " " + carried + " in place of " + expected);
		}
	}

	@Override
	public boolean supportsContext(Observation.Context context) {
		return true;
	}

	@Override
	public void onStart(Observation.Context context) {
		if (!context.getName().startsWith("mongo.lock.") && !context.getName().equals(WORK)) {
			return;
		}
		StringBuilder path = new StringBuilder(context.getName());
		String begin = context.getName();
		for (ObservationView view = context.getParentObservation(); view != null; view = view.getContextView()
			.getParentObservation()) {
			begin = view.getContextView().getName();
			path.append(" < ").append(begin);
		}
		if (!BEGINS.contains(begin)
				|| context.getName().equals(WORK) && !path.toString().startsWith("work < mongo.lock.hold")) {
			this.torn.add(path.toString());
		}
	}

}
