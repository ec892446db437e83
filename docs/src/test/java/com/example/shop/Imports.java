package com.example.shop;

import java.util.Optional;

import org.springframework.boot.ApplicationArguments;
import org.springframework.boot.ApplicationRunner;
import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.stereotype.Component;

import io.mongolock.LockHandle;
import io.mongolock.LockOperations;
import io.mongolock.LockRequest;

@Component
public class Imports implements ApplicationRunner {

	private final LockOperations locks;

	private final MongoTemplate mongo;

	public Imports(LockOperations locks, MongoTemplate mongo) {
		this.locks = locks;
		this.mongo = mongo;
	}

	@Override
	public void run(ApplicationArguments args) {
		Optional<LockHandle> acquired = this.locks.tryAcquire(LockRequest.of("import"));
		if (acquired.isEmpty()) {
			System.out.println("Another instance imports the orders");
			return;
		}
		try (LockHandle lock = acquired.get()) {
			this.mongo.save(new Order("42", 10_000));
			lock.assertHeld();
			System.out.println("Imported the orders");
		}
	}

}
