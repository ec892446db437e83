package com.example.kotlin

import io.mongolock.LockHandle
import io.mongolock.annotation.DistributedLock
import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.yield
import org.springframework.stereotype.Service
import java.util.concurrent.atomic.AtomicLong

/** Work that suspends: no thread waits for the lock, and it is held until the coroutine or the flow ends. */
@Service
class Accounts {

	private val balance = AtomicLong()

	@DistributedLock(name = "account", key = "#id")
	suspend fun pay(id: String, amount: Long): Long {
		val before = balance.get()
		yield()
		balance.set(before + amount)
		return before + amount
	}

	@DistributedLock(name = "account", key = "#id")
	suspend fun fence(id: String): Pair<LockHandle, Long> {
		delay(1)
		val lock = currentLock()
		return Pair(lock, lock.fence())
	}

	/** A call of [pay] for the same account shares the lock. */
	@DistributedLock(name = "account", key = "#id")
	suspend fun within(id: String, work: suspend () -> Unit) = work()

	/** Held until the last payment is emitted; who collects it may have it from a buffer, after that. */
	@DistributedLock(name = "account", key = "#id")
	fun payments(id: String, paying: (Long) -> Unit): Flow<Long> = flow {
		for (payment in 1L..3L) {
			delay(1)
			paying(payment)
			emit(payment)
		}
	}

}
