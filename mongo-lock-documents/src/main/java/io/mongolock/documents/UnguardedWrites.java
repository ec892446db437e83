package io.mongolock.documents;

import com.mongodb.client.result.UpdateResult;
import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.data.mongodb.core.query.Query;
import org.springframework.data.mongodb.core.query.Update;

import io.mongolock.LockHandle;

/**
 * Leaves the fences of documents alone: numbers made up without a store would shut out
 * the real ones later.
 *
 * @param template the application's template
 */
record UnguardedWrites(MongoTemplate template) implements FencedWrites {

	@Override
	public UpdateResult update(LockHandle lock, Query query, Update update, Class<?> type) {
		return GuardedWrites.write(this.template, lock,
				new GuardedUpdate(this.template.getConverter(), query, update, type, null), type);
	}

	@Override
	public void touch(LockHandle lock) {
		// nobody can have taken over what nobody holds
	}

}
