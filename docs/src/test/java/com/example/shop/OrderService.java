package com.example.shop;

import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.stereotype.Service;

import io.mongolock.annotation.DistributedLock;

@Service
public class OrderService {

	private final MongoTemplate mongo;

	public OrderService(MongoTemplate mongo) {
		this.mongo = mongo;
	}

	@DistributedLock(name = "order", key = "#id")
	public Order pay(String id, long amount) {
		Order order = this.mongo.findById(id, Order.class);
		if (order == null) {
			throw new IllegalArgumentException("There is no order " + id);
		}
		return this.mongo.save(new Order(id, order.open() - amount));
	}

}
