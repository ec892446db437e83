package io.mongolock.docs;

import java.util.concurrent.CompletableFuture;

import reactor.core.publisher.Mono;

import io.mongolock.LockHandle;
import io.mongolock.annotation.DistributedLock;

/**
 * The Java of docs/annotation.md on results that end later, so that it is compiled.
 */
public class LaterSnippets {

	private final Payments payments;

	public LaterSnippets(Payments payments) {
		this.payments = payments;
	}

	@DistributedLock(name = "order", key = "#id")
	public CompletableFuture<Receipt> charge(String id) {
		return this.payments.chargeLater(id);
	}

	@DistributedLock(name = "order", key = "#id")
	public Mono<Receipt> pay(String id) {
		return Mono.deferContextual((context) -> this.payments.pay(id, context.get(LockHandle.class).fence()));
	}

	interface Payments {

		CompletableFuture<Receipt> chargeLater(String id);

		Mono<Receipt> pay(String id, long fence);

	}

	record Receipt(String id) {

	}

}
