package io.mongolock.jobs;

import java.security.Principal;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

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
 * Endpoint {@code mongojobs}, over HTTP only. It shows the jobs of all instances and
 * their runs. It also runs, pauses and resumes jobs, if
 * {@code management.endpoint.mongojobs.access=unrestricted} allows this. Instances,
 * messages and users are shown only to users who may see them. Thread-safe.
 */
@WebEndpoint(id = "mongojobs", defaultAccess = Access.READ_ONLY)
class JobsEndpoint {

	/** Type of the audit event of each operation. */
	static final String CHANGED = "MONGO_LOCK_JOB_CHANGED";

	private static final Log logger = LogFactory.getLog(JobsEndpoint.class);

	private static final int MAX = 1000;

	/** The number of names in the answer if a job is not found. */
	private static final int NAMED = 10;

	private final JobRuns runs;

	private final @Nullable JobScheduler scheduler;

	private final ApplicationEventPublisher events;

	private final Duration timeout;

	private final Show showValues;

	private final Set<String> roles;

	/**
	 * Create an endpoint.
	 * @param scheduler looks after the jobs of this instance, {@code null} if there is
	 * none
	 * @param timeout how long an answer waits for a run to begin
	 * @param roles the roles that let a user change jobs, and see values if that depends
	 * on the user; any user may if empty
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
	 * The jobs in the order of their names, before them on the first page those that are
	 * overdue; or one.
	 * @param job the name of one
	 * @param from the name to begin at
	 * @param limit how many jobs, from 1 to 1,000; 100 unless given
	 * @param runs how many of their last runs, 1,000 at most; unless given 20 of one job,
	 * and none of several
	 */
	@ReadOperation
	@RegisterReflectionForBinding({ JobsDescriptor.class, ErrorDescriptor.class })
	WebEndpointResponse<OperationResponseBody> jobs(SecurityContext user, @Nullable String job, @Nullable String from,
			@Nullable Integer limit, @Nullable Integer runs) {
		boolean shown = this.showValues.isShown(user, this.roles);
		return answer(shown, () -> {
			int most = within("limit", limit, 1, 100);
			int history = within("runs", runs, 0, (job != null) ? 20 : 0);
			if (job != null) {
				return describe(job, history, shown);
			}
			SortedSet<String> names = this.runs.names().tailSet((from != null) ? from : "");
			// First the jobs that need attention
			List<String> overdue = (from == null || from.isEmpty()) ? overdue(names, most) : List.of();
			return new JobsDescriptor(Stream.concat(overdue.stream(), names.stream().limit(most))
				.distinct()
				.map((name) -> describe(name, history, shown))
				.toList(), names.stream().skip(most).findFirst().orElse(null), mayChange(user));
		});
	}

	private List<String> overdue(Set<String> names, int most) {
		JobScheduler own = this.scheduler;
		return (own != null) ? own.overdue().stream().filter(names::contains).limit(most).toList() : List.of();
	}

	private static int within(String name, @Nullable Integer value, int least, int otherwise) {
		int given = (value != null) ? value : otherwise;
		require(given >= least && given <= MAX, 400,
				name + " must be from " + least + " to " + MAX + ", but it is " + given);
		return given;
	}

	private boolean mayChange(SecurityContext user) {
		return this.roles.isEmpty() || Show.WHEN_AUTHORIZED.isShown(user, this.roles);
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
		if (!mayChange(user)) {
			return new WebEndpointResponse<>(403);
		}
		Principal principal = user.getPrincipal();
		String by = (principal != null) ? principal.getName() : "anonymous";
		boolean shown = this.showValues.isShown(user, this.roles);
		return answer(shown, () -> {
			require(job != null, 400, "The request names no job. Add the field 'job'");
			require(reason == null || !reason.isBlank() && reason.length() <= JobRun.MAX_MESSAGE, 400,
					"The reason must not be blank, and must have at most " + JobRun.MAX_MESSAGE + " characters");
			String named = Objects.requireNonNull(job);
			boolean begun = change(named, String.valueOf(action), tick, reason, by);
			audit(named, String.valueOf(action), tick, reason, by);
			require(begun, WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE, "Job '" + job + "' has not begun within "
					+ this.timeout.toMillis() + " ms, but may still begin. To find out, look at the runs of this job");
			return describe(job, 1, shown);
		});
	}

	// Whether the change is done, so that it will not only be done later
	private boolean change(String job, String action, @Nullable String tick, @Nullable String reason, String by) {
		switch (action) {
			case "run" -> {
				return run(job, null);
			}
			case "rerun" -> {
				return run(job, tick(job, tick));
			}
			case "pause" -> {
				require(reason != null, 400, "A pause needs a reason, which others see. Add the field 'reason'");
				Pause pause = new Pause(by, Objects.requireNonNull(reason), this.runs.now());
				scheduled(this.runs.pause(job, pause), job);
			}
			case "resume" -> {
				StoredJob stored = this.runs.stored(job);
				scheduled(stored != null, job);
				require(stored != null && stored.paused() != null, 409, "Job '" + job + "' is not paused");
				this.runs.pause(job, null);
			}
			default -> throw new Refusal(400,
					"The action must be one of run, rerun, pause and resume, but it is " + KeyText.printable(action));
		}
		return true;
	}

	private void audit(String job, String action, @Nullable String tick, @Nullable String reason, String by) {
		String why = (reason != null) ? reason : "none given";
		logger.info(KeyText.printable(by) + " requested " + action + " of job '" + KeyText.printable(job) + "'"
				+ ((tick != null) ? " for its tick " + KeyText.printable(tick) : "") + ", reason: "
				+ KeyText.printable(why));
		AuditEvent event = new AuditEvent(by, CHANGED, "job=" + job, "action=" + action, "tick=" + tick,
				"reason=" + why);
		try {
			this.events.publishEvent(new AuditApplicationEvent(event));
		}
		catch (RuntimeException ex) {
			logger.error(
					"This action was not audited, because a listener failed: " + KeyText.printable(event.toString()),
					ex);
		}
	}

	private boolean run(String job, @Nullable Instant tick) {
		JobScheduler own = this.scheduler;
		require(own != null && own.trigger(job) != null, 409, "Job '" + job
				+ "' is not scheduled in this instance. Send the request to an instance that schedules this job");
		Optional<Optional<JobRun>> begun = Objects.requireNonNull(own)
			.runNow(job, tick)
			.thenApply(Optional::of)
			.completeOnTimeout(Optional.empty(), this.timeout.toMillis(), TimeUnit.MILLISECONDS)
			.join();
		require(begun.isEmpty() || begun.get().isPresent(), 409,
				"Job '" + job + "' is being run. Wait until this run has ended");
		return begun.isPresent();
	}

	private Instant tick(String job, @Nullable String tick) {
		try {
			Instant parsed = Instant.parse(String.valueOf(tick)).truncatedTo(ChronoUnit.MILLIS);
			JobRun run = this.runs.find(job, parsed);
			if (run == null) {
				throw new Refusal(404, "Job '" + job + "' has no run of the tick " + parsed);
			}
			String refused = JobRunner.refusal(run, parsed);
			if (refused != null) {
				throw new Refusal(409, refused);
			}
			return parsed;
		}
		// The latter if a Date cannot represent the time
		catch (DateTimeException | IllegalArgumentException ex) {
			throw new Refusal(400, "A rerun needs the tick of a recorded run, for example 2026-05-04T03:00:00Z");
		}
	}

	private JobDescriptor describe(String name, int history, boolean shown) {
		JobTrigger trigger = (this.scheduler != null) ? this.scheduler.trigger(name) : null;
		Seen seen = this.runs.readState(name, trigger,
				(this.scheduler != null) ? this.scheduler.since(name) : Instant.EPOCH);
		StoredJob stored = seen.stored();
		if (stored == null && seen.last() == null && seen.ran() == null && seen.open() == null) {
			throw new Refusal(404, "There is no job '" + name + "'. The jobs are: "
					+ this.runs.names().stream().limit(NAMED).collect(Collectors.joining(", ")));
		}
		Instant from = (trigger != null) ? JobRuns.overdueFrom(trigger, seen) : null;
		List<RunDescriptor> runs = (history > 0)
				? this.runs.last(name, history).stream().map((run) -> RunDescriptor.of(run, shown)).toList() : null;
		return new JobDescriptor(name, seen.now(), state(seen), (stored != null) ? stored.schedule() : null,
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
		if (!stored.isScheduled(seen.now()) && seen.open() == null) {
			return "no longer scheduled";
		}
		return (seen.paused()) ? "paused" : "scheduled";
	}

	private static Pause shown(Pause pause, boolean shown) {
		return (shown) ? pause : new Pause(SanitizableData.SANITIZED_VALUE, pause.reason(), pause.at());
	}

	private static WebEndpointResponse<OperationResponseBody> answer(boolean shown,
			Supplier<OperationResponseBody> operation) {
		try {
			return new WebEndpointResponse<>(operation.get());
		}
		// Answered here, because Spring Boot would hide the reason
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

	private static void require(boolean right, int status, String otherwise) {
		if (!right) {
			throw new Refusal(status, otherwise);
		}
	}

	private static void scheduled(boolean there, String job) {
		require(there, 404, "There is no scheduled job '" + job + "'. If your code runs this job with Jobs.run, pause "
				+ "your own scheduler instead");
	}

	/**
	 * Jobs.
	 *
	 * @param jobs the jobs, in the order of their names
	 * @param next the name of the next one, {@code null} if there is none
	 * @param mayChange whether the user has a role to change them
	 */
	record JobsDescriptor(List<JobDescriptor> jobs, @Nullable String next,
			boolean mayChange) implements OperationResponseBody {

	}

	/**
	 * A job.
	 *
	 * @param name its name
	 * @param now the time of the server, by which all others are
	 * @param state scheduled, paused, no longer scheduled, or run by code
	 * @param schedule when it is due, {@code null} if code runs it
	 * @param next the next tick, {@code null} if this instance does not look after it
	 * @param overdueSince the first tick that no run has succeeded for, {@code null} if
	 * there is none, or if this instance does not look after the job
	 * @param paused who paused it, if anyone
	 * @param running the run that goes on, or whose instance has died
	 * @param last the run of the last tick
	 * @param runs the last runs, the newest first, {@code null} unless asked for
	 */
	record JobDescriptor(String name, Instant now, String state, @Nullable String schedule, @Nullable Instant next,
			@Nullable Instant overdueSince, @Nullable Pause paused, @Nullable RunDescriptor running,
			@Nullable RunDescriptor last, @Nullable List<RunDescriptor> runs) implements OperationResponseBody {

	}

	/**
	 * A run.
	 *
	 * @param tick when it was due
	 * @param firstTick the first of several ticks in a row that were not run, else
	 * {@code null}
	 * @param ticks how many ticks that are
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
	record RunDescriptor(Instant tick, @Nullable Instant firstTick, int ticks, int attempt, String outcome,
			Instant startedAt, @Nullable Instant endedAt, String runner, long fence, @Nullable String exception,
			@Nullable String message, @Nullable String note) {

		static @Nullable RunDescriptor of(@Nullable JobRun run, boolean shown) {
			if (run == null) {
				return null;
			}
			return new RunDescriptor(run.tick(), (run.ticks() > 1) ? run.firstTick() : null, run.ticks(), run.attempt(),
					run.outcome().name().toLowerCase(Locale.ROOT), run.startedAt(), run.endedAt(),
					(shown) ? run.runner() : SanitizableData.SANITIZED_VALUE, run.fence(), run.exception(),
					(!shown && run.exception() != null) ? SanitizableData.SANITIZED_VALUE : run.message(), run.note());
		}

	}

	/**
	 * Why a request is refused.
	 *
	 * @param error the reason, and the way out
	 */
	record ErrorDescriptor(String error) implements OperationResponseBody {

	}

	/** A refusal, which becomes an answer. */
	private static final class Refusal extends RuntimeException {

		private final int status;

		private Refusal(int status, String message) {
			super(message);
			this.status = status;
		}

	}

}
