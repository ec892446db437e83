/**
 * Jobs that run once per tick, regardless of clocks and the number of instances.
 * <ul>
 * <li>To declare: {@link ScheduledJob}, with {@link CatchUp} and {@link OnAbandoned}; by
 * code, {@link Jobs}, with a {@link JobSchedule} and {@link JobWork}. {@link JobRun} is
 * the record of a run, {@link JobOutcome} is its end, and a {@link JobRunEvent} is
 * published when a run begins or ends.</li>
 * <li>What is due: {@link JobTrigger} knows the times, even where an hour comes twice.
 * {@link JobDecision} decides whether a tick is run, caught up, retried, skipped, missed
 * or abandoned. {@link StoredJob} decides from when on ticks count, and since when a job
 * is overdue.</li>
 * <li>The path of a run: {@link JobMethods} finds the methods, and refuses methods that
 * cannot run. {@link JobScheduler} decides when to look at each {@link Job} of the
 * {@link JobRegistry} again, whether this instance may, and what its stop cuts off.
 * {@link DueJobs} reads the records, announces the schedule, and warns if another
 * application has the job. {@link JobRunner} decides again under the lock, also for
 * requested runs, and decides how an attempt has ended. {@link LimitedWork} ends an
 * attempt by {@link JobTimeoutException}. {@link JobCall} calls the method, and waits for
 * its result.</li>
 * <li>What is stored: {@link JobRuns} accepts each tick once. {@link MongoJobRuns}
 * decides when old runs go; {@link MemoryJobRuns} is for tests.</li>
 * <li>To see: {@link JobsEndpoint} decides who may see, run and pause jobs.
 * {@link JobMeters} has the meters. {@link JobObservations}, a {@link JobObserver}, uses
 * {@link JobObservationContext} and {@link JobObservationConvention}.</li>
 * <li>{@link JobExtension} adds jobs to the locks of the application, and checks
 * {@link MongoLockJobsProperties}; the endpoint has {@link JobsEndpointProperties}. Four
 * auto-configurations wire jobs, endpoint, meters and observations.</li>
 * <li>In tests, {@link JobsContextCustomizerFactory} switches schedules off, and
 * {@link JobsTestListener} forgets runs.</li>
 * </ul>
 */
@NullMarked
package io.mongolock.jobs;

import org.jspecify.annotations.NullMarked;
