package io.mongolock.benchmarks;

import com.mongodb.event.CommandListener;
import com.mongodb.event.CommandStartedEvent;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import org.bson.BsonDocument;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.mongodb.autoconfigure.MongoClientSettingsBuilderCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import io.mongolock.annotation.DistributedLock;

/**
 * A small application that is measured.
 */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
class Subject {

	@Bean
	Work work() {
		return new Work();
	}

	@Bean
	Commands commands() {
		return new Commands();
	}

	@Bean
	MongoClientSettingsBuilderCustomizer commandListener(Commands commands) {
		return (settings) -> settings.addCommandListener(commands);
	}

	/**
	 * What Spring Boot has with the Actuator: meters, and observations that are timed if
	 * there are any.
	 */
	@Configuration(proxyBeanMethods = false)
	static class Observed {

		@Bean
		MeterRegistry meterRegistry() {
			return new SimpleMeterRegistry();
		}

		@Bean
		DefaultMeterObservationHandler meterObservationHandler(MeterRegistry registry) {
			return new DefaultMeterObservationHandler(registry);
		}

		@Bean
		ObservationRegistry observationRegistry(DefaultMeterObservationHandler handler) {
			ObservationRegistry registry = ObservationRegistry.create();
			registry.observationConfig().observationHandler(handler);
			return registry;
		}

	}

	/**
	 * Does nothing, under a lock.
	 */
	static class Work {

		@DistributedLock(name = "work", key = "#id")
		int run(int id) {
			return id;
		}

	}

	/**
	 * Remembers the last claim and release, to send it again without a lock.
	 */
	static class Commands implements CommandListener {

		private volatile BsonDocument claim = new BsonDocument();

		private volatile BsonDocument release = new BsonDocument();

		private volatile boolean recording = true;

		BsonDocument claim() {
			return this.claim;
		}

		BsonDocument release() {
			return this.release;
		}

		void stopRecording() {
			this.recording = false;
		}

		@Override
		public synchronized void commandStarted(CommandStartedEvent event) {
			if (!this.recording) {
				return;
			}
			BsonDocument command = BsonDocument.parse(event.getCommand().toJson());
			if (command.containsKey("upsert")) {
				this.claim = command;
			}
			else if (command.toJson().contains("$pull")) {
				this.release = command;
			}
		}

	}

}
