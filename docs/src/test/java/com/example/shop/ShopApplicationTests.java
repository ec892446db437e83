package com.example.shop;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

import io.mongolock.test.embedded.EmbeddedMongo;

import static org.assertj.core.api.Assertions.assertThat;

@SpringBootTest
class ShopApplicationTests {

	static final EmbeddedMongo SERVER = EmbeddedMongo.start();

	@Autowired
	private OrderService orders;

	@Autowired
	private MongoTemplate mongo;

	@DynamicPropertySource
	static void mongo(DynamicPropertyRegistry registry) {
		registry.add("spring.mongodb.uri", () -> SERVER.connectionString() + "/shop");
		registry.add("mongo-lock.wait-timeout", () -> "2m");
	}

	@Test
	void noPaymentIsLost() {
		this.mongo.save(new Order("7", 1000));
		List<CompletableFuture<Void>> payments = IntStream.range(0, 20)
			.mapToObj((payment) -> CompletableFuture.runAsync(() -> this.orders.pay("7", 10)))
			.toList();
		payments.forEach(CompletableFuture::join);
		assertThat(this.mongo.findById("7", Order.class)).isEqualTo(new Order("7", 800));
	}

}
