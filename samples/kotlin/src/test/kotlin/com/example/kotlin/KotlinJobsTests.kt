package com.example.kotlin

import io.mongolock.LockHandle
import io.mongolock.jobs.JobOutcome
import io.mongolock.jobs.JobRun
import io.mongolock.jobs.Jobs
import io.mongolock.jobs.ScheduledJob
import io.mongolock.test.embedded.EmbeddedMongo
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flow
import org.assertj.core.api.Assertions.assertThat
import org.awaitility.Awaitility.await
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.Timeout
import org.springframework.boot.WebApplicationType
import org.springframework.boot.autoconfigure.EnableAutoConfiguration
import org.springframework.boot.builder.SpringApplicationBuilder
import org.springframework.context.ConfigurableApplicationContext
import org.springframework.context.annotation.Configuration
import java.util.concurrent.ConcurrentHashMap

/** Jobs that suspend: their runs end when the coroutines do. */
@Timeout(60)
class KotlinJobsTests {

	@Test
	fun `a run ends with its coroutine, which is cancelled at the end of the application`() {
		EmbeddedMongo.start().use { server ->
			start(server).use { application ->
				val reports = application.getBean(Reports::class.java)
				val jobs = application.getBean(Jobs::class.java)
				await().untilAsserted { assertThat(reports.locks.keys).containsExactlyInAnyOrder("report", "pages") }
				assertThat(reports.locks.values).containsExactlyInAnyOrder("job:report", "job:pages")
				assertThat(jobs.last("report", 1).single().outcome()).isEqualTo(JobOutcome.RUNNING)
				reports.end.complete(Unit)
				for (job in listOf("report", "pages")) {
					await().untilAsserted { assertThat(jobs.last(job, 1).single().outcome()).isEqualTo(JobOutcome.SUCCEEDED) }
				}
				await().untilAsserted { assertThat(jobs.last("failing", 1).single().message()).isEqualTo("no paper") }
				assertThat(reports.cancelled.isCompleted).isFalse()
				application.close()
				await().until { reports.cancelled.isCompleted }
			}
		}
	}

	private fun start(server: EmbeddedMongo): ConfigurableApplicationContext =
		SpringApplicationBuilder(Application::class.java, Reports::class.java).web(WebApplicationType.NONE)
			.properties(
				"spring.mongodb.uri=${server.connectionString()}/kotlin",
				"spring.lifecycle.timeout-per-shutdown-phase=300ms"
			)
			.run()

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	class Application

	class Reports {

		val end = CompletableDeferred<Unit>()

		val cancelled = CompletableDeferred<Unit>()

		val locks = ConcurrentHashMap<String, String>()

		@ScheduledJob(name = "report", fixedRate = "1h")
		suspend fun report(run: JobRun) {
			delay(1)
			val lock: LockHandle = currentLock()
			locks[run.job()] = lock.key()
			end.await()
		}

		@ScheduledJob(name = "pages", fixedRate = "1h")
		fun pages(): Flow<Int> = flow {
			locks["pages"] = currentLock().key()
			emit(1)
			end.await()
			emit(2)
		}

		@ScheduledJob(name = "failing", fixedRate = "1h")
		suspend fun failing() {
			delay(1)
			throw IllegalStateException("no paper")
		}

		@ScheduledJob(name = "endless", fixedRate = "1h")
		suspend fun endless() {
			try {
				awaitCancellation()
			} finally {
				cancelled.complete(Unit)
			}
		}

	}

}
