package io.mongolock.spi;

import java.time.Duration;
import java.util.List;
import java.util.Set;

/**
 * A module's addition to the locks of an application, as far as those who look after all
 * of them have to know: a bean, made early, before others. The bean
 * {@value LockEnvironment#VALIDATOR} asks for it, so it neither depends on that nor
 * injects {@link LockEnvironment} or what is made with it: an
 * {@link org.springframework.beans.factory.ObjectProvider ObjectProvider} gives those
 * when they are needed. Each method has a default, of a module that has nothing of the
 * kind. Thread-safe.
 */
public interface LockExtension {

	/**
	 * The settings of the module below {@code mongo-lock}: a property that neither these
	 * records nor other modules read is a warning, and a duration without a unit is
	 * refused.
	 * @return records as they are bound, those for names as the values of a map
	 */
	default List<Class<? extends Record>> settings() {
		return List.of();
	}

	/**
	 * Check the settings, at startup, if there is any property below {@code mongo-lock}:
	 * what is so by default has to be right.
	 * @param checks the checks that all settings have in common
	 * @throws RuntimeException if one is wrong, as the checks make it
	 */
	default void check(SettingChecks checks) {
	}

	/**
	 * The collections beside the locks' own, in the same database, that the module reads
	 * and writes: where rights are missing there, the application says so at startup.
	 * @return their names, as of when all singletons exist
	 */
	default Set<String> collections() {
		return Set.of();
	}

	/**
	 * The names of locks that the module asks for in code: their settings are in use.
	 * @return the names, as of {@code mongo-lock.locks.<name>}
	 */
	default Set<String> names() {
		return Set.of();
	}

	/**
	 * What the keys of {@link #clients()} begin with in the view of operators. The store
	 * does not see it. Locks of the application itself with such keys are not shown.
	 * @return the prefix, no other module's and no beginning of it, which is refused at
	 * startup; unless there is one, operators do not see them
	 */
	default String operatorPrefix() {
		return "";
	}

	/**
	 * The clients whose locks operators see and release. Asked at each of their looks;
	 * those that are made when they are first needed are made now.
	 * @return the clients, as opened by {@link LockEnvironment#open}
	 */
	default List<StoreClient> clients() {
		return List.of();
	}

	/**
	 * Checks of settings. A setting is named without the {@code mongo-lock} before it,
	 * for example {@code optimistic.delay}.
	 */
	interface SettingChecks {

		/**
		 * Refuse a number below 1.
		 * @param setting the setting
		 * @param value its value
		 */
		void positive(String setting, long value);

		/**
		 * Refuse a duration that is not longer than zero, or longer than any clock lasts.
		 * @param setting the setting
		 * @param value its value
		 */
		void duration(String setting, Duration value);

		/**
		 * Refuse what MongoDB takes for no name of a collection.
		 * @param setting the setting
		 * @param value its value
		 */
		void collection(String setting, String value);

		/**
		 * The collection of the locks, for a module that must not use it itself.
		 * @return its name
		 */
		String lockCollection();

		/**
		 * A duration as settings have it, for a reason.
		 * @param value the duration
		 * @return for example {@code 90s}
		 */
		String text(Duration value);

		/**
		 * Refuse a value for another reason.
		 * @param setting the setting
		 * @param value its value
		 * @param reason a clause that the value is the subject of, with the limit
		 * @return the exception, to be thrown, which fails the start with an explanation
		 */
		RuntimeException invalid(String setting, Object value, String reason);

	}

}
