package io.mongolock.jobs;

import java.security.Principal;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;
import org.springframework.boot.actuate.audit.AuditEvent;
import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.SanitizableData;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.dao.DataAccessException;

import io.mongolock.jobs.JobDecision.Seen;
import io.mongolock.jobs.StoredJob.Pause;
import io.mongolock.store.KeyText;

/**
 * Endpoint {@code mongojobs}, over HTTP alone: the jobs of all instances and their runs;
 * and to run, pause and resume them, which has to be allowed by
 * {@code management.endpoint.mongojobs.access=unrestricted}. Instances, messages and
 * users are shown to those who may see them. Thread-safe.
 */
@WebEndpoint(id = "mongojobs", defaultAccess = Access.READ_ONLY)
class JobsEndpoint {

	/** Type of the audit event of each operation. */
	static final String CHANGED = "MONGO_LOCK_JOB_CHANGED";

	private static final Log logger = LogFactory.getLog(JobsEndpoint.class);

	private static final int MAX_LIMIT = 1000;

	private static final int MAX_REASON = 500;

	private final JobRuns runs;

	private final @Nullable JobScheduler scheduler;

	private final ApplicationEventPublisher events;

	private final Duration timeout;

	private final Show showValues;

	private final Set<String> roles;

	/**
	 * Create an endpoint.
	 * @param scheduler looks after jobs here, {@code null} if none does
	 * @param timeout how long a run may take to begin until it is answered
	 * @param roles one of which a user has to have to change jobs, and to see values
	 * where that depends on the user; any user if empty
	 */
	JobsEndpoint(JobRuns runs, @Nullable JobScheduler scheduler, ApplicationEventPublisher events, Duration timeout,
			Show showValues, Set<String> roles) {
		this.runs = runs;
		this.scheduler = scheduler;
		this.events = events;
		this.timeout = timeout;
		this.showValues = showValues;
		this.roles = Set.copyOf(roles);
	}

	/**
	 * All jobs, or one with its last runs.
	 * @param job the name of one
	 * @param limit how many of its runs, from 1 to 1,000; 20 unless given
	 */
	@ReadOperation
	@RegisterReflectionForBinding({ JobsDescriptor.class, ErrorDescriptor.class })
	WebEndpointResponse<OperationResponseBody> jobs(SecurityContext user, @Nullable String job,
			@Nullable Integer limit) {
		boolean shown = this.showValues.isShown(user, this.roles);
		return answer(shown, () -> {
			int most = (limit != null) ? limit : 20;
			require(most >= 1 && most <= MAX_LIMIT, "The limit must be from 1 to " + MAX_LIMIT + "; it is " + most);
			if (job != null) {
				return describe(job, most, shown);
			}
			return new JobsDescriptor(this.runs.names().stream().map((name) -> describe(name, 0, shown)).toList());
		});
	}

	/**
	 * Have a job run now or again, pause or resume it.
	 * @param job its name
	 * @param action {@code run}, {@code rerun}, {@code pause} or {@code resume}
	 * @param tick the tick to run again
	 * @param reason why, of 1 to 500 characters; needed for a pause
	 * @return what has become of the job, or 403
	 */
	@WriteOperation
	WebEndpointResponse<OperationResponseBody> change(SecurityContext user, @Nullable String job,
			@Nullable String action, @Nullable String tick, @Nullable String reason) {
		if (!this.roles.isEmpty() && !Show.WHEN_AUTHORIZED.isShown(user, this.roles)) {
			return new WebEndpointResponse<>(403);
		}
		Principal principal = user.getPrincipal();
		String by = (principal != null) ? principal.getName() : "anonymous";
		boolean shown = this.showValues.isShown(user, this.roles);
		return answer(shown, () -> {
			require(job != null, "No job is named: name one as job");
			require(reason == null || !reason.isBlank() && reason.length() <= MAX_REASON,
					"The reason must not be blank, and have at most " + MAX_REASON + " characters");
			String named = Objects.requireNonNull(job);
			boolean begun = change(named, String.valueOf(action), tick, reason, by);
			audit(named, String.valueOf(action), tick, reason, by);
			if (!begun) {
				throw new Refusal(WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE,
						"Job '" + job + "' has not begun within " + this.timeout.toMillis()
								+ " ms, and may begin yet: look at its runs");
			}
			return describe(job, 1, shown);
		});
	}

	// Whether that is done, and will not be done only later
	private boolean change(String job, String action, @Nullable String tick, @Nullable String reason, String by) {
		switch (action) {
			case "run" -> {
				return run(job, null);
			}
			case "rerun" -> {
				return run(job, tick(job, tick));
			}
			case "pause" -> {
				require(reason != null, "A pause needs a reason, which others see");
				Pause pause = new Pause(by, Objects.requireNonNull(reason), this.runs.now());
				scheduled(this.runs.pause(job, pause), job);
			}
			case "resume" -> {
				StoredJob stored = this.runs.stored(job);
				scheduled(stored != null, job);
				if (stored != null && stored.paused() == null) {
					throw new Refusal(409, "Job '" + job + "' is not paused");
				}
				this.runs.pause(job, null);
			}
			default -> throw new Refusal(400,
					"The action must be run, rerun, pause or resume; it is " + KeyText.printable(action));
		}
		return true;
	}

	private void audit(String job, String action, @Nullable String tick, @Nullable String reason, String by) {
		String why = (reason != null) ? reason : "none given";
		logger.info("Job '" + KeyText.printable(job) + "': " + action
				+ ((tick != null) ? " of its tick " + KeyText.printable(tick) : "") + " by " + KeyText.printable(by)
				+ ", reason: " + KeyText.printable(why));
		AuditEvent event = new AuditEvent(by, CHANGED, "job=" + job, "action=" + action, "tick=" + tick,
				"reason=" + why);
		try {
			this.events.publishEvent(new AuditApplicationEvent(event));
		}
		catch (RuntimeException ex) {
			logger.error("Not audited, because a listener failed: " + KeyText.printable(event.toString()), ex);
		}
	}

	private boolean run(String job, @Nullable Instant tick) {
		if (this.scheduler == null || this.scheduler.trigger(job) == null) {
			throw new Refusal(409,
					"Job '" + job + "' is not scheduled in the instance that was asked: ask one that runs it");
		}
		Optional<Optional<JobRun>> begun = this.scheduler.runNow(job, tick)
			.thenApply(Optional::of)
			.completeOnTimeout(Optional.empty(), this.timeout.toMillis(), TimeUnit.MILLISECONDS)
			.join();
		if (begun.isPresent() && begun.get().isEmpty()) {
			throw new Refusal(409, "Job '" + job + "' is being run: wait for its end");
		}
		return begun.isPresent();
	}

	private Instant tick(String job, @Nullable String tick) {
		try {
			Instant parsed = Instant.parse(String.valueOf(tick));
			if (this.runs.find(job, parsed) == null) {
				throw new Refusal(404, "Job '" + job + "' has no run of the tick " + parsed);
			}
			return parsed;
		}
		// The latter for a time that no date has
		catch (DateTimeException | IllegalArgumentException ex) {
			throw new Refusal(400, "A rerun needs the tick of a run, as it is shown, for example 2026-05-04T03:00:00Z");
		}
	}

	private JobDescriptor describe(String name, int history, boolean shown) {
		StoredJob stored = this.runs.stored(name);
		JobTrigger trigger = (this.scheduler != null) ? this.scheduler.trigger(name) : null;
		Seen seen = this.runs.see(name, (stored != null) ? stored.since() : Instant.EPOCH);
		found(stored != null || seen.last() != null || seen.open() != null, name, "");
		Instant from = (trigger != null) ? this.runs.overdueFrom(name, trigger, seen) : null;
		List<RunDescriptor> runs = (history > 0)
				? this.runs.last(name, history).stream().map((run) -> RunDescriptor.of(run, shown)).toList() : null;
		return new JobDescriptor(name, state(seen), (stored != null) ? stored.schedule() : null,
				(trigger != null) ? trigger.next(seen.now(), seen.since(), seen.last()) : null,
				(from != null && from.isBefore(seen.now())) ? from : null,
				(stored != null && stored.paused() != null) ? shown(stored.paused(), shown) : null,
				RunDescriptor.of(seen.open(), shown), RunDescriptor.of(seen.last(), shown), runs);
	}

	private static String state(Seen seen) {
		StoredJob stored = seen.stored();
		if (stored == null) {
			return "run by code";
		}
		if (seen.paused()) {
			return "paused";
		}
		return (stored.isScheduled(seen.now()) || seen.open() != null) ? "scheduled" : "no longer scheduled";
	}

	private static Pause shown(Pause pause, boolean shown) {
		return (shown) ? pause : new Pause(SanitizableData.SANITIZED_VALUE, pause.reason(), pause.at());
	}

	private static WebEndpointResponse<OperationResponseBody> answer(boolean shown,
			Supplier<OperationResponseBody> operation) {
		try {
			return new WebEndpointResponse<>(operation.get());
		}
		// Spring Boot would hide what is wrong
		catch (Refusal ex) {
			return new WebEndpointResponse<>(new ErrorDescriptor(String.valueOf(ex.getMessage())), ex.status);
		}
		catch (DataAccessException | CompletionException ex) {
			logger.debug("No answer", ex);
			return new WebEndpointResponse<>(
					new ErrorDescriptor((shown) ? String.valueOf(ex.getMessage()) : "MongoDB does not answer"),
					WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE);
		}
	}

	private static void require(boolean right, String otherwise) {
		if (!right) {
			throw new Refusal(400, otherwise);
		}
	}

	private static void scheduled(boolean there, String job) {
		found(there, job, " with a schedule. One that code runs is paused where its ticks come from");
	}

	private static void found(boolean there, String job, String more) {
		if (!there) {
			throw new Refusal(404, "There is no job '" + job + "'" + more);
		}
	}

	/**
	 * All jobs.
	 *
	 * @param jobs the jobs, in the order of their names
	 */
	record JobsDescriptor(List<JobDescriptor> jobs) implements OperationResponseBody {

	}

	/**
	 * A job.
	 *
	 * @param name its name
	 * @param state scheduled, paused, no longer scheduled, or run by code
	 * @param schedule when it is due, {@code null} if code runs it
	 * @param next the next tick, {@code null} if this instance does not look after it
	 * @param overdueSince the first tick that no run has succeeded for, {@code null} if
	 * there is none, or if this instance does not look after the job
	 * @param paused who paused it, if anyone
	 * @param running the run that goes on, or whose instance has died
	 * @param last the run of the last tick
	 * @param runs the last runs, the newest first, {@code null} among all jobs
	 */
	record JobDescriptor(String name, String state, @Nullable String schedule, @Nullable Instant next,
			@Nullable Instant overdueSince, @Nullable Pause paused, @Nullable RunDescriptor running,
			@Nullable RunDescriptor last, @Nullable List<RunDescriptor> runs) implements OperationResponseBody {

	}

	/**
	 * A run.
	 *
	 * @param tick when it was due
	 * @param attempt the number of the attempt
	 * @param outcome how it ended
	 * @param startedAt when it began
	 * @param endedAt when it ended
	 * @param runner the instance
	 * @param fence the fence of its lock
	 * @param exception the class of the exception
	 * @param message its message, or why the tick was not run
	 * @param note how far it is, as the work says
	 */
	record RunDescriptor(Instant tick, int attempt, String outcome, Instant startedAt, @Nullable Instant endedAt,
			String runner, long fence, @Nullable String exception, @Nullable String message, @Nullable String note) {

		static @Nullable RunDescriptor of(@Nullable JobRun run, boolean shown) {
			if (run == null) {
				return null;
			}
			boolean hidden = !shown && run.exception() != null;
			return new RunDescriptor(run.tick(), run.attempt(), run.outcome().name().toLowerCase(Locale.ROOT),
					run.startedAt(), run.endedAt(), (shown) ? run.runner() : SanitizableData.SANITIZED_VALUE,
					run.fence(), run.exception(), (hidden) ? SanitizableData.SANITIZED_VALUE : run.message(),
					run.note());
		}

	}

	/**
	 * Why a request is refused.
	 *
	 * @param error the reason, and the way out
	 */
	record ErrorDescriptor(String error) implements OperationResponseBody {

	}

	/** Becomes an answer. */
	private static final class Refusal extends RuntimeException {

		private final int status;

		private Refusal(int status, String message) {
			super(message);
			this.status = status;
		}

	}

}
