package io.mongolock.spi;

import java.time.Duration;
import java.util.List;
import java.util.Set;

/**
 * Describes a module's additions to the locks of an application, for checks and operators
 * that cover all locks. An extension is a bean that is created early, because the bean
 * {@value LockEnvironment#VALIDATOR} needs it. So it must not depend on that bean, and
 * must not inject {@link LockEnvironment} or beans that are made with it. Instead, inject
 * an {@link org.springframework.beans.factory.ObjectProvider ObjectProvider}, and resolve
 * it when needed. The default of each method is for a module without such an addition.
 * Thread-safe.
 */
public interface LockExtension {

	/**
	 * The settings of the module below {@code mongo-lock}. A property that neither these
	 * records nor other modules read leads to a warning. A duration without a unit is
	 * refused.
	 * @return the records that are bound; records for names are the values of a map
	 */
	default List<Class<? extends Record>> settings() {
		return List.of();
	}

	/**
	 * Check the settings at startup. This is called only if there is a property below
	 * {@code mongo-lock}, so the defaults must be right.
	 * @param checks the checks that all settings share
	 * @throws RuntimeException if a setting is wrong; the checks make this exception
	 */
	default void check(SettingChecks checks) {
	}

	/**
	 * The collections in the database of the locks that the module reads and writes,
	 * besides the locks' own collection. If rights are missing there, the application
	 * reports this at startup.
	 * @return the names of the collections, complete once all singletons exist
	 */
	default Set<String> collections() {
		return Set.of();
	}

	/**
	 * The names of locks that the module requests in code. Settings for these names count
	 * as used.
	 * @return the names, as in {@code mongo-lock.locks.<name>}
	 */
	default Set<String> names() {
		return Set.of();
	}

	/**
	 * The prefix that operators see before the keys of {@link #clients()}. The store does
	 * not see this prefix. Locks of the application itself whose keys begin with it are
	 * not shown.
	 * @return the prefix. It must not be, or be the beginning of, another module's
	 * prefix; otherwise the start fails. If it is empty, operators do not see these locks
	 */
	default String operatorPrefix() {
		return "";
	}

	/**
	 * The clients whose locks operators see and release. This is called at each look of
	 * an operator. Clients that are otherwise made when first needed must be made now.
	 * @return the clients, opened by {@link LockEnvironment#open}
	 */
	default List<StoreClient> clients() {
		return List.of();
	}

	/**
	 * Checks of settings. The name of a setting leaves out the leading
	 * {@code mongo-lock}, for example {@code optimistic.delay}.
	 */
	interface SettingChecks {

		/**
		 * Refuse a number below 1.
		 * @param setting the setting
		 * @param value its value
		 */
		void positive(String setting, long value);

		/**
		 * Refuse a duration that is not longer than zero, or that is longer than a clock
		 * can count.
		 * @param setting the setting
		 * @param value its value
		 */
		void duration(String setting, Duration value);

		/**
		 * Refuse a name that MongoDB does not accept for a collection.
		 * @param setting the setting
		 * @param value its value
		 */
		void collection(String setting, String value);

		/**
		 * The collection of the locks, for a module that must not use the same
		 * collection.
		 * @return the name of the collection
		 */
		String lockCollection();

		/**
		 * The text of a duration in the format of settings, for use in a reason.
		 * @param value the duration
		 * @return for example {@code 90s}
		 */
		String text(Duration value);

		/**
		 * Refuse a value for another reason.
		 * @param setting the setting
		 * @param value its value
		 * @param reason a clause whose subject is the value, with the limit
		 * @return the exception, which the caller must throw; it fails the start with an
		 * explanation
		 */
		RuntimeException invalid(String setting, Object value, String reason);

	}

}
