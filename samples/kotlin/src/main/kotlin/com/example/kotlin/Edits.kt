package com.example.kotlin

import io.mongolock.annotation.DistributedLock
import io.mongolock.documents.DocumentLockOperations
import io.mongolock.documents.LockedDocument
import org.springframework.data.annotation.Id
import org.springframework.data.annotation.Version

/** The lock in a document ends with the call, so the function does not suspend. */
open class Edits(private val documents: DocumentLockOperations) {

	@DistributedLock(key = "#id", document = Article::class)
	open fun publish(id: String, article: LockedDocument<Article>? = null) {
		val locked = checkNotNull(article)
		locked.save(locked.entity().copy(published = true))
	}

}

data class Article(@Id val id: String, val published: Boolean = false, @Version val version: Long? = null)
