package com.example.shop;

import org.springframework.data.annotation.Id;

public record Order(@Id String id, long open) {

}
