package com.example.kotlin

import io.mongolock.LockOperations
import io.mongolock.LockRequest
import io.mongolock.LockUnavailableException
import io.mongolock.client.LockTemplate
import io.mongolock.test.LockAssertions
import io.mongolock.test.autoconfigure.AutoConfigureMongoLockTest
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitAll
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.flow.first
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assertions.assertThatThrownBy
import org.awaitility.Awaitility.await
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.Timeout
import org.springframework.beans.factory.annotation.Autowired
import org.springframework.boot.test.context.SpringBootTest

/** Locks on coroutines: each attribute, and what becomes of the lock when a coroutine ends. */
@SpringBootTest(properties = ["order.wait=1ms"])
@AutoConfigureMongoLockTest
@Timeout(60)
class KotlinLocksTests {

	@Autowired
	private lateinit var accounts: Accounts

	@Autowired
	private lateinit var attributes: Attributes

	@Autowired
	private lateinit var operations: LockOperations

	@Autowired
	private lateinit var locks: LockAssertions

	@Test
	fun `suspending functions run one at a time`() {
		val results = runBlocking(Dispatchers.Default) { List(50) { async { accounts.pay("1", 1) } }.awaitAll() }
		assertThat(results).containsExactlyInAnyOrderElementsOf((1L..50L).toList())
		locks.assertThatLock("account:1").isFree()
	}

	@Test
	fun `the lock follows the coroutine and is free when the caller goes on`() = runBlocking<Unit> {
		val (lock, fence) = accounts.fence("2")
		assertThat(lock.key()).isEqualTo("account:2")
		assertThat(fence).isPositive()
		assertThat(lock.isHeld).isFalse()
		locks.assertThatLock("account:2").isFree()
	}

	@Test
	fun `a call within the coroutine shares its lock`() = runBlocking<Unit> {
		accounts.within("3") {
			val own = currentLock().fence()
			assertThat(accounts.fence("3").second).isEqualTo(own)
			locks.assertThatLock("account:3").hasHolders(1)
		}
		locks.assertThatLock("account:3").isFree()
	}

	@Test
	fun `what the function throws reaches the caller`() {
		assertThatThrownBy { runBlocking { accounts.within("4") { throw IllegalStateException("by test") } } }
			.isInstanceOf(IllegalStateException::class.java)
			.hasMessage("by test")
		locks.assertThatLock("account:4").isFree()
	}

	@Test
	fun `cancelling the coroutine releases the lock`() = runBlocking<Unit> {
		val begun = CompletableDeferred<Unit>()
		val job = launch(Dispatchers.Default) {
			accounts.within("5") {
				begun.complete(Unit)
				awaitCancellation()
			}
		}
		begun.await()
		locks.assertThatLock("account:5").isHeld()
		job.cancelAndJoin()
		await().untilAsserted { locks.assertThatLock("account:5").isFree() }
	}

	@Test
	fun `cancelling the coroutine while it waits ends its claim`() = runBlocking<Unit> {
		operations.acquire(LockRequest.of("account", "6")).use {
			val job = launch(Dispatchers.Default) { accounts.pay("6", 1) }
			await().until { (operations as LockTemplate).waiting("account:6") == 1 }
			job.cancelAndJoin()
			await().until { (operations as LockTemplate).waiting("account:6") == 0 }
		}
		locks.assertThatLock("account:6").isFree()
	}

	@Test
	fun `a flow holds the lock while it is collected`() = runBlocking<Unit> {
		val payments = accounts.payments("7") { locks.assertThatLock("account:7").isHeld() }
		locks.assertThatLock("account:7").isFree()
		assertThat(payments.toList()).containsExactly(1, 2, 3)
		locks.assertThatLock("account:7").isFree()
		assertThat(payments.first()).isOne()
		await().untilAsserted { locks.assertThatLock("account:7").isFree() }
	}

	@Test
	fun `each attribute does what it says`() = runBlocking<Unit> {
		assertThat(attributes.value()).isEqualTo("nightly")
		assertThat(attributes.nameAndKey(Order("1"))).isEqualTo("order:1")
		assertThat(attributes.byItsName()).isEqualTo("byItsName")
		assertThat(attributes.times(listOf("a", "b"))).isEqualTo("2:a")
		attributes.minHold()
		assertThat(attributes.limit()).isEqualTo("report")
		assertThat(attributes.shared()).isEqualTo("catalogue")
		assertThat(attributes.skipped("1")).isEqualTo("order:1")
		assertThat(attributes.onLost()).isEqualTo("settlement")
		assertThat(attributes.answered("1")).isEqualTo("order:1")
		assertThat(attributes.conditional("1", true)).isTrue()
		assertThat(attributes.conditional("1", false)).isFalse()
		assertThat(attributes.transfer("b", "a")).isEqualTo("account:b")
	}

	@Test
	fun `a lock that another holds is skipped or fails`() = runBlocking<Unit> {
		operations.acquire(LockRequest.of("order", "2")).use {
			assertThat(attributes.skipped("2")).isNull()
			assertThat(attributes.answered("2")).isEqualTo("instead of 2")
			assertThat(attributes.handled("2")).isEqualTo("busy: handled")
		}
		operations.acquire(LockRequest.of("2:a")).use {
			assertThatThrownBy { runBlocking { attributes.times(listOf("a", "b")) } }
				.isInstanceOf(LockUnavailableException::class.java)
				.hasMessageContaining("2:a")
		}
	}

}
