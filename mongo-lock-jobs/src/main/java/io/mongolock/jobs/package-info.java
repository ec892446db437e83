/**
 * Jobs that run once per tick, whatever the clocks and the number of instances.
 * <ul>
 * <li>To declare: {@link ScheduledJob}, with {@link CatchUp} and {@link OnAbandoned}; by
 * code, {@link Jobs}, with a {@link JobSchedule} and {@link JobWork}. {@link JobRun} is
 * what is kept of each run, {@link JobOutcome} how it ended, and {@link JobRunEvent} is
 * heard when one begins or ends.</li>
 * <li>What is due: {@link JobTrigger} says at which times, also where an hour comes
 * twice. {@link JobDecision} decides whether a tick is run, caught up, retried, skipped,
 * missed or abandoned. {@link StoredJob} decides from when on ticks count, and since when
 * a job is overdue.</li>
 * <li>The path of a run: {@link JobMethods} finds the methods, and refuses those that
 * cannot run. {@link JobScheduler} decides when to look at each {@link Job} of the
 * {@link JobRegistry} again, whether this instance may, and what its stop cuts off.
 * {@link DueJobs} reads the records, announces the schedule, and warns if another
 * application has the job. {@link JobRunner} decides anew under the lock, also of runs by
 * hand, and how an attempt has ended. {@link LimitedWork} ends one by
 * {@link JobTimeoutException}. {@link JobCall} calls the method, and waits for its
 * result.</li>
 * <li>What is stored: {@link JobRuns} lets in each tick once. {@link MongoJobRuns}
 * decides when old runs go; {@link MemoryJobRuns} is for tests.</li>
 * <li>To see: {@link JobsEndpoint} decides who may see, run and pause what.
 * {@link JobMeters}; {@link JobObservations}, a {@link JobObserver}, with
 * {@link JobObservationContext} and {@link JobObservationConvention}.</li>
 * <li>{@link JobExtension} adds all of that to the locks of the application, and checks
 * {@link MongoLockJobsProperties}; the endpoint has {@link JobsEndpointProperties}. Four
 * auto-configurations wire jobs, endpoint, meters and observations.</li>
 * <li>In tests {@link JobsContextCustomizerFactory} switches schedules off,
 * {@link JobsTestListener} forgets runs.</li>
 * </ul>
 */
@NullMarked
package io.mongolock.jobs;

import org.jspecify.annotations.NullMarked;
