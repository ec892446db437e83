package io.mongolock.faults.spring;

import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * How a lock and a transaction lie in each other.
 */
enum Way {

	OWN_TRANSACTION(false, Ledger::inOwnTransaction),

	CALLERS_TRANSACTION(true, Ledger::inCallersTransaction),

	CALLERS_TRANSACTION_JOINED(true, Ledger::inOwnTransaction),

	REQUIRES_NEW(true, Ledger::inNewTransaction),

	NESTED(true, Ledger::inNestedTransaction);

	private final boolean outer;

	private final BiConsumer<Ledger, Runnable> call;

	Way(boolean outer, BiConsumer<Ledger, Runnable> call) {
		this.outer = outer;
		this.call = call;
	}

	/**
	 * Do something under the lock.
	 * @param ledger what the lock guards
	 * @param transaction runs something in a transaction of the caller
	 * @param work what to do
	 */
	void run(Ledger ledger, Consumer<Runnable> transaction, Runnable work) {
		Runnable locked = () -> this.call.accept(ledger, work);
		if (this.outer) {
			transaction.accept(locked);
		}
		else {
			locked.run();
		}
	}

}
