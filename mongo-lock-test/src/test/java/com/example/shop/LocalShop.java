package com.example.shop;

import org.springframework.boot.SpringApplication;

import io.mongolock.test.embedded.EmbeddedMongo;

public final class LocalShop {

	private LocalShop() {
	}

	public static void main(String[] args) {
		EmbeddedMongo.builder().port(27017).start();
		SpringApplication.run(ShopApplication.class, args);
	}

}
