package io.mongolock.data;

import java.util.List;
import java.util.Set;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

import io.mongolock.spi.LockExtension;

/**
 * Adds sequences to the locks of the application.
 *
 * @param properties the settings, bound when something needs them
 * @param beans know whether the sequences are in use
 */
record SequenceExtension(ObjectProvider<MongoLockDataProperties> properties,
		ConfigurableListableBeanFactory beans) implements LockExtension {

	@Override
	public List<Class<? extends Record>> settings() {
		return List.of(MongoLockDataProperties.class);
	}

	@Override
	public void check(SettingChecks checks) {
		MongoLockDataProperties properties = this.properties.getObject();
		String collection = properties.sequenceCollection();
		checks.collection("sequence-collection", collection);
		if (collection.equals(checks.lockCollection())) {
			throw checks.invalid("sequence-collection", collection,
					"is the collection of the locks, where a lock and a sequence of the same name would share one "
							+ "document. Name another collection");
		}
		properties.sequences().forEach((name, sequence) -> {
			checks.positive("sequences." + name + ".block", sequence.block());
			checks.positive("sequences." + name + ".start", sequence.start());
		});
	}

	@Override
	public Set<String> collections() {
		// An application may have its own sequences
		boolean used = this.beans.containsBeanDefinition(MongoLockDataAutoConfiguration.SEQUENCES)
				&& this.beans.containsSingleton(MongoLockDataAutoConfiguration.SEQUENCES);
		return (used) ? Set.of(this.properties.getObject().sequenceCollection()) : Set.of();
	}

}
