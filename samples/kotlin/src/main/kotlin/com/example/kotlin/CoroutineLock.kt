package com.example.kotlin

import io.mongolock.LockHandle
import kotlinx.coroutines.reactor.ReactorContext
import kotlin.coroutines.coroutineContext

/** The lock that the current coroutine works under: it follows the coroutine, not a thread. */
suspend fun currentLock(): LockHandle =
	checkNotNull(coroutineContext[ReactorContext]) { "No lock in this coroutine" }.context.get(LockHandle::class.java)

suspend fun isLocked(): Boolean = coroutineContext[ReactorContext]?.context?.hasKey(LockHandle::class.java) == true
