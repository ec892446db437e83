package com.example.kotlin

import io.mongolock.LockMode
import io.mongolock.LockUnavailableHandler
import io.mongolock.OnLost
import io.mongolock.OnUnavailable
import io.mongolock.annotation.DistributedLock
import kotlinx.coroutines.yield
import org.springframework.context.annotation.Bean
import org.springframework.context.annotation.Configuration
import org.springframework.stereotype.Service

/** Each attribute of the annotation, on suspending functions and plain ones. */
@Service
class Attributes {

	@DistributedLock("nightly")
	suspend fun value() = currentLock().key()

	@DistributedLock(name = "order", key = "#order.id")
	suspend fun nameAndKey(order: Order) = currentLock().key()

	@DistributedLock(key = "#root.methodName")
	suspend fun byItsName() = currentLock().key()

	@DistributedLock(key = "#ids.size() + ':' + #ids[0]", ttl = "30s", waitTimeout = "\${order.wait:5s}", retryInterval = "100ms")
	suspend fun times(ids: List<String>) = currentLock().key()

	@DistributedLock(name = "import", autoRenew = "false", minHold = "1ms")
	fun minHold() = Unit

	@DistributedLock(name = "report", limit = "2")
	suspend fun limit() = currentLock().key()

	@DistributedLock(name = "catalogue", mode = LockMode.SHARED)
	suspend fun shared() = currentLock().key()

	/** Null if another holds the lock: declare it so. */
	@DistributedLock(name = "order", key = "#id", onUnavailable = OnUnavailable.SKIP)
	suspend fun skipped(id: String): String? = currentLock().key()

	/** The fallback suspends, too, and gets no exception: its continuation is last. */
	@DistributedLock(name = "order", key = "#id", waitTimeout = "0s", fallback = "instead")
	suspend fun answered(id: String): String = currentLock().key()

	suspend fun instead(id: String): String = yield().let { "instead of $id" }

	@DistributedLock(name = "order", key = "#id", waitTimeout = "0s", unavailableHandler = "busy")
	suspend fun handled(id: String): String = currentLock().key()

	@DistributedLock(name = "order", key = "#id", condition = "#guarded")
	suspend fun conditional(id: String, guarded: Boolean): Boolean = isLocked()

	/** A loss cancels the coroutine. */
	@DistributedLock(name = "settlement", onLost = OnLost.INTERRUPT)
	suspend fun onLost() = currentLock().key()

	@DistributedLock(name = "account", key = "#from")
	@DistributedLock(name = "account", key = "#to")
	suspend fun transfer(from: String, to: String) = currentLock().key()

}

@Configuration(proxyBeanMethods = false)
class Handlers {

	@Bean
	fun busy() = LockUnavailableHandler { call, _ -> "busy: ${call.method().name}" }

}

data class Order(val id: String)
