/**
 * Jobs that run once per tick, whatever the clocks and the number of instances.
 * <ul>
 * <li>To declare: {@link ScheduledJob}, with {@link CatchUp} and {@link OnAbandoned}; by
 * code, {@link Jobs}. {@link JobRun} is what is kept of each run, {@link JobOutcome} how
 * it ended, and {@link JobRunEvent} is heard when one begins or ends.</li>
 * <li>The path of a run: {@link JobMethods} finds the methods and makes the
 * {@link JobWork} of each, {@link JobScheduler} looks after them at the ticks of their
 * {@link JobTrigger}, {@link JobRunner} does under the lock what {@link JobDecision}
 * decides, and {@link JobCall} calls the method.</li>
 * <li>What is stored: {@link JobRuns}, which lets in each tick once, and a
 * {@link StoredJob} for what all instances know of a job.</li>
 * <li>To see: {@link JobsEndpoint}, {@link JobMeters}.</li>
 * <li>{@link JobExtension} adds all of that to the locks of the application. The settings
 * are {@link MongoLockJobsProperties} and {@link JobsEndpointProperties}; three
 * auto-configurations wire jobs, endpoint and meters.</li>
 * </ul>
 */
@NullMarked
package io.mongolock.jobs;

import org.jspecify.annotations.NullMarked;
