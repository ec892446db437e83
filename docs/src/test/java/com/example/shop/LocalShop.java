package com.example.shop;

import com.mongodb.ConnectionString;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.mongodb.autoconfigure.MongoConnectionDetails;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Bean;

import io.mongolock.test.embedded.EmbeddedMongo;

public final class LocalShop {

	private LocalShop() {
	}

	public static void main(String[] args) {
		SpringApplication.from(ShopApplication::main).with(Server.class).run(args);
	}

	@TestConfiguration(proxyBeanMethods = false)
	static class Server {

		@Bean
		EmbeddedMongo embeddedMongo() {
			return EmbeddedMongo.builder().port(27017).start();
		}

		@Bean
		MongoConnectionDetails mongoConnectionDetails(EmbeddedMongo server) {
			return () -> new ConnectionString(server.connectionString() + "/shop?w=majority");
		}

	}

}
