package io.mongolock.docs;

import org.springframework.data.annotation.Id;
import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.data.mongodb.core.query.Criteria;
import org.springframework.data.mongodb.core.query.Query;
import org.springframework.data.mongodb.core.query.Update;
import org.springframework.stereotype.Service;

import io.mongolock.LockContext;
import io.mongolock.LockHandle;
import io.mongolock.annotation.DistributedLock;
import io.mongolock.data.FencedWrites;

@Service
public class AccountService {

	private final MongoTemplate mongo;

	private final FencedWrites fenced;

	public AccountService(MongoTemplate mongo, FencedWrites fenced) {
		this.mongo = mongo;
		this.fenced = fenced;
	}

	@DistributedLock(name = "account", key = "#id")
	public void pay(String id, long amount) {
		LockHandle lock = LockContext.current();
		Account account = this.mongo.findById(id, Account.class);
		if (account == null) {
			throw new IllegalArgumentException("There is no account " + id);
		}
		this.fenced.update(lock, Query.query(Criteria.where("id").is(id)),
				new Update().set("balance", account.balance() - amount), Account.class);
	}

	public record Account(@Id String id, long balance) {

	}

}
