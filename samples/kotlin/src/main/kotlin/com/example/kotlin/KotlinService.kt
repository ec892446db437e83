package com.example.kotlin

import org.springframework.boot.autoconfigure.SpringBootApplication
import org.springframework.boot.runApplication

@SpringBootApplication
class KotlinService

fun main(arguments: Array<String>) {
	runApplication<KotlinService>(*arguments)
}
